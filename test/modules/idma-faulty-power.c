// SPDX-License-Identifier: GPL-2.0-only
/*
 * A clock and a reset line that can be told to fail, between an engine and the
 * clock and the reset line that it has: no driver of the kernel's own does.
 *
 * The node: compatible "test,faulty-power", #clock-cells 0, #reset-cells 1,
 * clocks and resets of the real ones.
 */
#include <linux/clk-provider.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/reset-controller.h>
#include <linux/reset.h>

static atomic_t enable_failures = ATOMIC_INIT(0);
static atomic_t assert_failures = ATOMIC_INIT(0);
static atomic_t deassert_failures = ATOMIC_INIT(0);
static atomic_t assert_ms = ATOMIC_INIT(0);
static atomic_t clocked = ATOMIC_INIT(0);
static atomic_t unclocked = ATOMIC_INIT(0);

static int faulty_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;
	int ret = kstrtouint(val, 0, &n);

	if (!ret)
		atomic_set(kp->arg, n);

	return ret;
}

static int faulty_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(kp->arg));
}

static const struct kernel_param_ops faulty_ops = {
	.set = faulty_set,
	.get = faulty_get,
};

module_param_cb(enable_failures, &faulty_ops, &enable_failures, 0644);
MODULE_PARM_DESC(enable_failures, "How many of the next times the clock fails to start");
module_param_cb(assert_failures, &faulty_ops, &assert_failures, 0644);
MODULE_PARM_DESC(assert_failures, "How many of the next times the reset line cannot be pulled");
module_param_cb(deassert_failures, &faulty_ops, &deassert_failures, 0644);
MODULE_PARM_DESC(deassert_failures, "How many of the next times it cannot be let go");
module_param_cb(assert_ms, &faulty_ops, &assert_ms, 0644);
MODULE_PARM_DESC(assert_ms, "How long it takes to pull the reset line, as one behind a slow bus does");
module_param_cb(unclocked, &faulty_ops, &unclocked, 0444);
MODULE_PARM_DESC(unclocked, "How often the reset line was pulled or let go with the clock off");

struct faulty {
	struct clk_hw hw;
	struct reset_controller_dev rcdev;
	struct reset_control *rst;
};

static int faulty_enable(struct clk_hw *hw)
{
	if (atomic_add_unless(&enable_failures, -1, 0))
		return -EIO;
	atomic_set(&clocked, 1);

	return 0;
}

static void faulty_disable(struct clk_hw *hw)
{
	atomic_set(&clocked, 0);
}

static const struct clk_ops faulty_clk_ops = {
	.enable = faulty_enable,
	.disable = faulty_disable,
};

static int faulty_assert(struct reset_controller_dev *rcdev, unsigned long id)
{
	struct faulty *f = container_of(rcdev, struct faulty, rcdev);

	if (atomic_add_unless(&assert_failures, -1, 0))
		return -EIO;
	if (!atomic_read(&clocked))
		atomic_inc(&unclocked);
	msleep(atomic_read(&assert_ms));

	return reset_control_assert(f->rst);
}

static int faulty_deassert(struct reset_controller_dev *rcdev, unsigned long id)
{
	struct faulty *f = container_of(rcdev, struct faulty, rcdev);

	if (atomic_add_unless(&deassert_failures, -1, 0))
		return -EIO;
	if (!atomic_read(&clocked))
		atomic_inc(&unclocked);

	return reset_control_deassert(f->rst);
}

static const struct reset_control_ops faulty_reset_ops = {
	.assert = faulty_assert,
	.deassert = faulty_deassert,
};

static int faulty_probe(struct platform_device *pdev)
{
	static const struct clk_parent_data parent = { .index = 0 };
	struct device *dev = &pdev->dev;
	struct clk_init_data init = {
		.name = "idma-faulty-clock",
		.ops = &faulty_clk_ops,
		.parent_data = &parent,
		.num_parents = 1,
	};
	struct faulty *f;
	int ret;

	f = devm_kzalloc(dev, sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;

	f->rst = devm_reset_control_get_exclusive(dev, NULL);
	if (IS_ERR(f->rst))
		return PTR_ERR(f->rst);

	f->hw.init = &init;
	ret = devm_clk_hw_register(dev, &f->hw);
	if (ret)
		return ret;
	ret = devm_of_clk_add_hw_provider(dev, of_clk_hw_simple_get, &f->hw);
	if (ret)
		return ret;

	f->rcdev.owner = THIS_MODULE;
	f->rcdev.nr_resets = 1;
	f->rcdev.ops = &faulty_reset_ops;
	f->rcdev.of_node = dev->of_node;

	return devm_reset_controller_register(dev, &f->rcdev);
}

static const struct of_device_id faulty_of_match[] = {
	{ .compatible = "test,faulty-power" },
	{ }
};
MODULE_DEVICE_TABLE(of, faulty_of_match);

static struct platform_driver faulty_driver = {
	.probe = faulty_probe,
	.driver = {
		.name = "idma-faulty-power",
		.of_match_table = faulty_of_match,
		.suppress_bind_attrs = true,
	},
};
module_platform_driver(faulty_driver);

MODULE_DESCRIPTION("A clock and a reset line that can be told to fail");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
