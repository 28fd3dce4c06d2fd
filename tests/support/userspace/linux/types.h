/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's headers give to its pure functions, for tests outside it. */
#ifndef USERSPACE_LINUX_TYPES_H
#define USERSPACE_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX

#endif /* USERSPACE_LINUX_TYPES_H */
