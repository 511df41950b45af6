// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workers whose buffers go through DMA channels stage by stage, again and again:
 * from host memory to device memory, there, and back, for example. How often
 * each worker gets around in a given time is what is counted.
 *
 * Driven by parameters, like dmatest: set "plan" and the others, write 1 to
 * "run"; it reads N when the run is over, and "result" has what came out.
 *
 * A plan is stages with "/" between them. A stage is how many buffers are copied
 * at once, ":" or "@", and channels with "," between them. With ":" a worker takes
 * the channel with the fewest copies under way, with "@" each worker belongs to
 * one of them: "2:dma1chan0,dma2chan0/1@dma3chan0,dma4chan0". Buffer i of a stage
 * is copied to buffer i of the next one.
 *
 * A worker is a thread. Channels are shared by all workers and taken from
 * everybody else while it runs. Nothing is freed before all channels are quiet.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#define IDMA_STAGES_MAX		4
#define IDMA_STAGES_CHANNELS	16
#define IDMA_STAGES_COPIES	4
#define IDMA_STAGES_WORKERS	64
#define IDMA_STAGES_TIMEOUT_MS	10000

static unsigned int workers = 15;
module_param(workers, uint, 0644);
MODULE_PARM_DESC(workers, "Workers, 1 to 64");

static unsigned int size = SZ_2M;
module_param(size, uint, 0644);
MODULE_PARM_DESC(size, "Bytes of a buffer, 1 to 4 MiB");

static unsigned int runtime = 20;
module_param(runtime, uint, 0644);
MODULE_PARM_DESC(runtime, "How long to run, in ms");

static char plan[512];
module_param_string(plan, plan, sizeof(plan), 0644);
MODULE_PARM_DESC(plan, "Stages: COPIES:CHANNEL,.../COPIES@CHANNEL,...");

/* A channel, and the copies under way on it */
struct idma_stages_chan {
	char name[24];
	struct dma_chan *chan;
	atomic_t load;
};

struct idma_stages_stage {
	unsigned int copies;
	bool by_worker;
	unsigned int nr_chans;
	struct idma_stages_chan chans[IDMA_STAGES_CHANNELS];
};

struct idma_stages_run;

struct idma_stages_worker {
	struct idma_stages_run *run;
	struct task_struct *task;
	unsigned int index;
	unsigned long rounds;
	unsigned long begun;		/* rounds whose first stage is over */
	atomic_t left;			/* copies that are not complete */
	atomic_t errors;		/* of these, those that failed */
	struct completion done;
	struct completion ended;
	void *buf[IDMA_STAGES_MAX + 1][IDMA_STAGES_COPIES];
};

struct idma_stages_run {
	unsigned int nr_workers;
	unsigned int size;
	unsigned int runtime;
	unsigned int nr_stages;
	unsigned int copies;		/* the most of a stage */
	bool stop;
	struct completion go;		/* all workers are there */
	int error;			/* the first one */
	/* Begun in the first fifth of the time and in all of it: workers end together */
	unsigned long early;
	unsigned long all;
	u64 early_ns;
	u64 all_ns;
	unsigned long mismatches;	/* buffers */
	struct idma_stages_stage stages[IDMA_STAGES_MAX];
	struct idma_stages_worker workers[];
};

/* One run at a time, and the result of the last one */
static DEFINE_MUTEX(idma_stages_lock);
static struct idma_stages_run *idma_stages_now;
static struct task_struct *idma_stages_task;
static char *idma_stages_result;
/* A thread that is stopped before it has run never will, and would free nothing */
static DECLARE_COMPLETION(idma_stages_there);
/* The parameters outlive the module's exit function by a moment */
static bool idma_stages_gone;

static void idma_stages_fail(struct idma_stages_run *run, int error)
{
	cmpxchg(&run->error, 0, error);
	WRITE_ONCE(run->stop, true);
}

/* ---- A worker ---- */

static struct idma_stages_chan *idma_stages_pick(struct idma_stages_worker *w,
						 struct idma_stages_stage *stage)
{
	struct idma_stages_chan *best = &stage->chans[0];
	unsigned int i;

	if (stage->by_worker)
		return best + w->index * stage->nr_chans / w->run->nr_workers;
	for (i = 1; i < stage->nr_chans; i++)
		if (atomic_read(&stage->chans[i].load) < atomic_read(&best->load))
			best = &stage->chans[i];

	return best;
}

static void idma_stages_callback(void *data, const struct dmaengine_result *result)
{
	struct idma_stages_worker *w = data;

	if (result && result->result != DMA_TRANS_NOERROR)
		atomic_inc(&w->errors);
	if (atomic_dec_and_test(&w->left))
		complete(&w->done);
}

static int idma_stages_submit(struct idma_stages_worker *w, struct dma_chan *chan,
			      dma_addr_t dst, dma_addr_t src)
{
	struct dma_async_tx_descriptor *tx;

	tx = dmaengine_prep_dma_memcpy(chan, dst, src, w->run->size,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return -ENOMEM;
	tx->callback_result = idma_stages_callback;
	tx->callback_param = w;

	return dma_submit_error(dmaengine_submit(tx)) ? -EIO : 0;
}

/*
 * All copies of a stage. One that cannot be submitted counts as complete at once,
 * so that those that were are waited for in any case.
 */
static int idma_stages_copy(struct idma_stages_worker *w, unsigned int s)
{
	struct idma_stages_run *run = w->run;
	struct idma_stages_stage *stage = &run->stages[s];
	struct idma_stages_chan *c = idma_stages_pick(w, stage);
	struct device *dev = dmaengine_get_dma_device(c->chan);
	dma_addr_t src[IDMA_STAGES_COPIES], dst[IDMA_STAGES_COPIES];
	int ret = 0;
	unsigned int i, n;

	for (n = 0; n < stage->copies; n++) {
		src[n] = dma_map_single(dev, w->buf[s][n], run->size, DMA_TO_DEVICE);
		if (dma_mapping_error(dev, src[n])) {
			ret = -ENOMEM;
			break;
		}
		dst[n] = dma_map_single(dev, w->buf[s + 1][n], run->size, DMA_FROM_DEVICE);
		if (dma_mapping_error(dev, dst[n])) {
			dma_unmap_single(dev, src[n], run->size, DMA_TO_DEVICE);
			ret = -ENOMEM;
			break;
		}
	}
	if (!ret) {
		atomic_set(&w->left, n);
		atomic_set(&w->errors, 0);
		reinit_completion(&w->done);
		atomic_add(n, &c->load);
		for (i = 0; i < n; i++) {
			if (idma_stages_submit(w, c->chan, dst[i], src[i])) {
				ret = -EIO;
				if (atomic_dec_and_test(&w->left))
					complete(&w->done);
			}
		}
		dma_async_issue_pending(c->chan);
		if (!wait_for_completion_timeout(&w->done,
						 msecs_to_jiffies(IDMA_STAGES_TIMEOUT_MS))) {
			/* Nothing may be unmapped under a channel that still copies */
			dmaengine_terminate_sync(c->chan);
			ret = -ETIMEDOUT;
		}
		atomic_sub(n, &c->load);
		if (atomic_read(&w->errors))
			ret = -EIO;
	}
	while (n--) {
		dma_unmap_single(dev, src[n], run->size, DMA_TO_DEVICE);
		dma_unmap_single(dev, dst[n], run->size, DMA_FROM_DEVICE);
	}

	return ret;
}

static int idma_stages_worker(void *data)
{
	struct idma_stages_worker *w = data;
	struct idma_stages_run *run = w->run;
	unsigned int s;
	int ret = 0;

	wait_for_completion(&run->go);
	while (!ret && !READ_ONCE(run->stop)) {
		for (s = 0; s < run->nr_stages && !ret; s++) {
			ret = idma_stages_copy(w, s);
			if (!ret && !s)
				WRITE_ONCE(w->begun, w->begun + 1);
		}
		if (ret)
			idma_stages_fail(run, ret);
		else
			WRITE_ONCE(w->rounds, w->rounds + 1);
	}
	complete(&w->ended);

	return 0;
}

/* ---- A run ---- */

static void idma_stages_free(struct idma_stages_run *run)
{
	unsigned int s, i, c;

	for (s = 0; s < run->nr_stages; s++)
		for (i = 0; i < run->stages[s].nr_chans; i++)
			if (run->stages[s].chans[i].chan)
				dma_release_channel(run->stages[s].chans[i].chan);
	for (i = 0; i < run->nr_workers; i++) {
		if (run->workers[i].task)
			put_task_struct(run->workers[i].task);
		for (s = 0; s <= IDMA_STAGES_MAX; s++)
			for (c = 0; c < IDMA_STAGES_COPIES; c++)
				kfree(run->workers[i].buf[s][c]);
	}
	kfree(run);
}

static bool idma_stages_is_it(struct dma_chan *chan, void *name)
{
	return !strcmp(dma_chan_name(chan), name);
}

static int idma_stages_request(struct idma_stages_run *run)
{
	dma_cap_mask_t mask;
	unsigned int s, i;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	for (s = 0; s < run->nr_stages; s++) {
		for (i = 0; i < run->stages[s].nr_chans; i++) {
			struct idma_stages_chan *c = &run->stages[s].chans[i];

			c->chan = dma_request_channel(mask, idma_stages_is_it, c->name);
			if (!c->chan) {
				pr_err("idma-stages: plan: %s is not there, busy, or copies no memory\n",
				       c->name);
				return -ENODEV;
			}
		}
	}

	return 0;
}

static int idma_stages_parse_stage(struct idma_stages_stage *stage, char *text)
{
	char *name;

	if (*text < '1' || *text > '0' + IDMA_STAGES_COPIES || (text[1] != ':' && text[1] != '@'))
		return -EINVAL;
	stage->copies = *text - '0';
	stage->by_worker = text[1] == '@';
	text += 2;
	while ((name = strsep(&text, ","))) {
		if (stage->nr_chans == IDMA_STAGES_CHANNELS || !*name ||
		    strscpy(stage->chans[stage->nr_chans].name, name,
			    sizeof(stage->chans[0].name)) < 0)
			return -EINVAL;
		stage->nr_chans++;
	}

	return 0;
}

static int idma_stages_parse(struct idma_stages_run *run, const char *from)
{
	char *copy = kstrdup(from, GFP_KERNEL), *p, *text;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	p = strim(copy);
	while (!ret && (text = strsep(&p, "/"))) {
		if (run->nr_stages == IDMA_STAGES_MAX) {
			ret = -EINVAL;
			break;
		}
		ret = idma_stages_parse_stage(&run->stages[run->nr_stages], text);
		if (run->stages[run->nr_stages].copies > run->copies)
			run->copies = run->stages[run->nr_stages].copies;
		run->nr_stages++;
	}
	kfree(copy);
	if (ret == -EINVAL)
		pr_err("idma-stages: plan: '%s' is not COPIES:CHANNEL,.../COPIES@CHANNEL,...\n",
		       from);

	return ret;
}

/* Every buffer differs from all others, and no destination is right by chance */
static int idma_stages_fill(struct idma_stages_run *run)
{
	unsigned int i, s, c, k;

	for (i = 0; i < run->nr_workers; i++) {
		struct idma_stages_worker *w = &run->workers[i];

		w->run = run;
		w->index = i;
		init_completion(&w->done);
		init_completion(&w->ended);
		for (s = 0; s <= run->nr_stages; s++) {
			for (c = 0; c < run->copies; c++) {
				u8 *buf = kmalloc(run->size, GFP_KERNEL | __GFP_NOWARN);

				if (!buf) {
					pr_err("idma-stages: no memory for %u workers with buffers of %u bytes\n",
					       run->nr_workers, run->size);
					return -ENOMEM;
				}
				w->buf[s][c] = buf;
				memset(buf, s ? 0xa5 : i * IDMA_STAGES_COPIES + c, run->size);
				for (k = 0; !s && k < run->size; k += 61)
					buf[k] = k >> 6;
			}
		}
		cond_resched();
	}

	return 0;
}

static struct idma_stages_run *idma_stages_new(void)
{
	struct idma_stages_run *run;
	int ret;

	if (!workers || workers > IDMA_STAGES_WORKERS || !size || size > SZ_4M || !runtime) {
		pr_err("idma-stages: workers, size or runtime is out of range\n");
		return ERR_PTR(-EINVAL);
	}
	run = kzalloc(struct_size(run, workers, workers), GFP_KERNEL);
	if (!run)
		return ERR_PTR(-ENOMEM);
	init_completion(&run->go);
	run->nr_workers = workers;
	run->size = size;
	run->runtime = runtime;
	ret = idma_stages_parse(run, plan);
	if (!ret)
		ret = idma_stages_request(run);
	if (!ret)
		ret = idma_stages_fill(run);
	if (ret) {
		idma_stages_free(run);
		return ERR_PTR(ret);
	}

	return run;
}

/* What a worker that has been around at least once has behind its last stage */
static void idma_stages_verify(struct idma_stages_run *run)
{
	unsigned int i, c;

	for (i = 0; i < run->nr_workers; i++) {
		struct idma_stages_worker *w = &run->workers[i];

		for (c = 0; w->rounds && c < run->stages[run->nr_stages - 1].copies; c++)
			if (memcmp(w->buf[0][c], w->buf[run->nr_stages][c], run->size))
				run->mismatches++;
		cond_resched();
	}
}

static void idma_stages_report(struct idma_stages_run *run)
{
	char *text = kmalloc(PAGE_SIZE, GFP_KERNEL), *old;
	unsigned long rounds = 0;
	unsigned int i;
	int len;

	for (i = 0; i < run->nr_workers; i++)
		rounds += run->workers[i].rounds;

	if (text) {
		len = scnprintf(text, PAGE_SIZE,
				"error=%d mismatches=%lu rounds=%lu ns=%llu steady_rounds=%lu steady_ns=%llu\n",
				run->error, run->mismatches, rounds, run->all_ns,
				run->all - run->early, run->all_ns - run->early_ns);
		for (i = 0; i < run->nr_workers; i++)
			len += scnprintf(text + len, PAGE_SIZE - len, "worker[%u]:%lu\n", i,
					 run->workers[i].rounds);
	}
	mutex_lock(&idma_stages_lock);
	old = idma_stages_result;
	idma_stages_result = text;
	mutex_unlock(&idma_stages_lock);
	kfree(old);
}

static unsigned long idma_stages_begun(struct idma_stages_run *run)
{
	unsigned long begun = 0;
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++)
		begun += READ_ONCE(run->workers[i].begun);

	return begun;
}

/* Until then, or until somebody stops the run */
static void idma_stages_sleep(struct idma_stages_run *run, ktime_t until)
{
	s64 left;

	while (!READ_ONCE(run->stop) && !kthread_should_stop()) {
		left = ktime_us_delta(until, ktime_get());
		if (left <= 0)
			return;
		left = min_t(s64, left, 10 * USEC_PER_MSEC);
		usleep_range(left, left + 1);
	}
}

/* Starts the workers, watches the clock, cleans up */
static int idma_stages_thread(void *data)
{
	struct idma_stages_run *run = data;
	unsigned int i, started;
	ktime_t start;
	u64 ns = (u64)run->runtime * NSEC_PER_MSEC;

	complete(&idma_stages_there);
	for (started = 0; started < run->nr_workers; started++) {
		struct idma_stages_worker *w = &run->workers[started];
		struct task_struct *task = kthread_run(idma_stages_worker, w, "idma-stages/%u",
						       started);

		if (IS_ERR(task)) {
			idma_stages_fail(run, PTR_ERR(task));
			break;
		}
		w->task = get_task_struct(task);
	}
	start = ktime_get();
	complete_all(&run->go);
	idma_stages_sleep(run, ktime_add_ns(start, div_u64(ns, 5)));
	run->early = idma_stages_begun(run);
	run->early_ns = ktime_to_ns(ktime_sub(ktime_get(), start));
	idma_stages_sleep(run, ktime_add_ns(start, ns));
	run->all = idma_stages_begun(run);
	run->all_ns = ktime_to_ns(ktime_sub(ktime_get(), start));
	WRITE_ONCE(run->stop, true);
	for (i = 0; i < started; i++)
		wait_for_completion(&run->workers[i].ended);
	idma_stages_verify(run);
	idma_stages_report(run);
	mutex_lock(&idma_stages_lock);
	idma_stages_now = NULL;
	mutex_unlock(&idma_stages_lock);
	for (i = 0; i < started; i++)
		kthread_stop(run->workers[i].task);
	idma_stages_free(run);
	/* Whoever starts the next run, or unloads the module, collects this thread */
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}

	return 0;
}

static void idma_stages_collect(struct task_struct *task)
{
	if (task) {
		kthread_stop(task);
		put_task_struct(task);
	}
}

static int idma_stages_start(void)
{
	struct task_struct *task;
	struct idma_stages_run *run = idma_stages_new();

	if (IS_ERR(run))
		return PTR_ERR(run);
	task = kthread_create(idma_stages_thread, run, "idma-stages");
	if (IS_ERR(task)) {
		idma_stages_free(run);
		return PTR_ERR(task);
	}
	idma_stages_now = run;
	idma_stages_task = get_task_struct(task);
	reinit_completion(&idma_stages_there);
	wake_up_process(task);
	wait_for_completion(&idma_stages_there);

	return 0;
}

static int idma_stages_run_set(const char *val, const struct kernel_param *kp)
{
	struct task_struct *last;
	bool start;
	int ret = kstrtobool(val, &start);

	if (ret)
		return ret;
	mutex_lock(&idma_stages_lock);
	if (!start) {
		if (idma_stages_now)
			WRITE_ONCE(idma_stages_now->stop, true);
		mutex_unlock(&idma_stages_lock);
		return 0;
	}
	if (idma_stages_now || idma_stages_gone) {
		ret = idma_stages_gone ? -ENODEV : -EBUSY;
		mutex_unlock(&idma_stages_lock);
		return ret;
	}
	last = idma_stages_task;
	idma_stages_task = NULL;
	ret = idma_stages_start();
	mutex_unlock(&idma_stages_lock);
	idma_stages_collect(last);

	return ret;
}

static int idma_stages_run_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%c\n", READ_ONCE(idma_stages_now) ? 'Y' : 'N');
}

static const struct kernel_param_ops idma_stages_run_ops = {
	.set = idma_stages_run_set,
	.get = idma_stages_run_get,
};
module_param_cb(run, &idma_stages_run_ops, NULL, 0644);
MODULE_PARM_DESC(run, "Write 1 to start, 0 to stop; Y while it runs");

static int idma_stages_result_get(char *buf, const struct kernel_param *kp)
{
	int len;

	mutex_lock(&idma_stages_lock);
	len = scnprintf(buf, PAGE_SIZE, "%s", idma_stages_result ?: "");
	mutex_unlock(&idma_stages_lock);

	return len;
}

static const struct kernel_param_ops idma_stages_result_ops = {
	.get = idma_stages_result_get,
};
module_param_cb(result, &idma_stages_result_ops, NULL, 0444);
MODULE_PARM_DESC(result, "What the last run came to");

static int __init idma_stages_init(void)
{
	return 0;
}
module_init(idma_stages_init);

static void __exit idma_stages_exit(void)
{
	struct task_struct *last;

	mutex_lock(&idma_stages_lock);
	idma_stages_gone = true;
	if (idma_stages_now)
		WRITE_ONCE(idma_stages_now->stop, true);
	last = idma_stages_task;
	idma_stages_task = NULL;
	mutex_unlock(&idma_stages_lock);
	idma_stages_collect(last);
	kfree(idma_stages_result);
}
module_exit(idma_stages_exit);

MODULE_DESCRIPTION("Workers whose buffers go through DMA channels stage by stage");
MODULE_LICENSE("GPL");
