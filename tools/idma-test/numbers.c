// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers as people write and read them.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idma-test.h"
#include "numbers.h"

static int mul(uint64_t *val, uint64_t by)
{
	if (__builtin_mul_overflow(*val, by, val))
		return -ERANGE;
	return 0;
}

static int time_suffix(const char *s, uint64_t *val)
{
	if (!*s || !strcmp(s, "ms"))
		return 0;
	if (!strcmp(s, "s"))
		return mul(val, 1000);
	if (!strcmp(s, "m") || !strcmp(s, "min"))
		return mul(val, 60000);
	if (!strcmp(s, "us")) {
		if (*val % 1000)
			return -EDOM;
		*val /= 1000;
		return 0;
	}
	return -EINVAL;
}

static int suffix(const char *s, enum num_unit unit, uint64_t *val)
{
	static const char letters[] = "kmgt";
	uint64_t base = unit == NUM_BYTES ? 1024 : 1000;
	const char *at;
	int ret = 0;

	if (*s) {
		at = strchr(letters, tolower((unsigned char)*s));
		if (at) {
			s++;
			if (*s == 'i') {
				base = 1024;
				s++;
			}
			for (ptrdiff_t i = 0; !ret && i <= at - letters; i++)
				ret = mul(val, base);
		}
	}
	if (unit == NUM_BYTES && *s == 'B')
		s++;
	if (*s)
		return -EINVAL;
	return ret;
}

int num_parse(const char *s, enum num_unit unit, uint64_t *val)
{
	unsigned long long n;
	char *end;

	/* strtoull() takes signs and leading space; a number has neither */
	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	n = strtoull(s, &end, s[0] == '0' && tolower((unsigned char)s[1]) == 'x' ? 16 : 10);
	if (errno == ERANGE)
		return -ERANGE;
	*val = n;
	return unit == NUM_MS ? time_suffix(end, val) : suffix(end, unit, val);
}

static int append(struct num_list *list, size_t max, uint64_t val)
{
	if (list->n >= max)
		return -E2BIG;
	list->v = xrealloc(list->v, (list->n + 1) * sizeof(*list->v));
	list->v[list->n++] = val;
	return 0;
}

static int range(char *s, char *dots, enum num_unit unit, size_t max, struct num_list *list)
{
	uint64_t from, to, step = 2;
	char *op, kind = '*';
	int ret;

	*dots = '\0';
	op = strpbrk(dots + 2, "*+");
	if (op) {
		kind = *op;
		*op = '\0';
		ret = num_parse(op + 1, kind == '*' ? NUM_COUNT : unit, &step);
		if (ret)
			return ret;
		if (step < (kind == '*' ? 2 : 1))
			return -EINVAL;
	}
	ret = num_parse(s, unit, &from);
	if (!ret)
		ret = num_parse(dots + 2, unit, &to);
	if (ret)
		return ret;
	if (from > to || (kind == '*' && !from))
		return -EINVAL;
	for (;;) {
		ret = append(list, max, from);
		if (ret || from == to)
			return ret;
		if (kind == '*' ? __builtin_mul_overflow(from, step, &from) :
				  __builtin_add_overflow(from, step, &from))
			from = to;
		if (from > to)
			from = to;
	}
}

int num_parse_list(const char *s, enum num_unit unit, size_t max, struct num_list *list)
{
	char *copy = xstrdup(s), *p = copy, *comma, *dots;
	uint64_t val;
	int ret;

	list->n = 0;
	list->v = NULL;
	do {
		comma = strchr(p, ',');
		if (comma)
			*comma = '\0';
		dots = strstr(p, "..");
		if (dots) {
			ret = range(p, dots, unit, max, list);
		} else {
			ret = num_parse(p, unit, &val);
			if (!ret)
				ret = append(list, max, val);
		}
		p = comma + 1;
	} while (!ret && comma);
	free(copy);
	if (ret)
		num_list_free(list);
	return ret;
}

void num_list_free(struct num_list *list)
{
	free(list->v);
	list->v = NULL;
	list->n = 0;
}

char *num_bytes(char *buf, double val)
{
	static const char * const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;

	while (val >= 1024 && i < ARRAY_SIZE(unit) - 1) {
		val /= 1024;
		i++;
	}
	snprintf(buf, NUM_BUF, "%.4g %s", val, unit[i]);
	return buf;
}

char *num_si(char *buf, double val, const char *unit)
{
	static const char * const prefix[] = { "", "k", "M", "G", "T" };
	size_t i = 0;

	while (fabs(val) >= 1000 && i < ARRAY_SIZE(prefix) - 1) {
		val /= 1000;
		i++;
	}
	snprintf(buf, NUM_BUF, "%.4g%s%s%s", val, prefix[i][0] || unit[0] ? " " : "",
		 prefix[i], unit);
	return buf;
}

char *num_ns(char *buf, double ns)
{
	static const char * const unit[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	while (ns >= 1000 && i < ARRAY_SIZE(unit) - 1) {
		ns /= 1000;
		i++;
	}
	snprintf(buf, NUM_BUF, "%.4g %s", ns, unit[i]);
	return buf;
}
