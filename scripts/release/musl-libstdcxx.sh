#!/usr/bin/env bash
# Builds the libstdc++ that ccc's musl programs need, on Debian. Alpine has it as a package (apk add libstdc++);
# Debian has musl but no libstdc++ for it, so this builds it from GCC's source.
#
#   apt-get install -y musl musl-tools g++ make xz-utils gcc-12-source
#   scripts/release/musl-libstdcxx.sh FOLDER
#
# Takes a minute or two, and leaves FOLDER/libstdc++.so.6. x64 only.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
work=$(realpath "$1")
specs=/usr/lib/x86_64-linux-musl/musl-gcc.specs

build_libstdcxx() {
  mkdir -p "$work/source" "$work/build" "$work/libgcc"
  tar -xf /usr/src/gcc-12/gcc-12.*.tar.xz -C "$work/source" --strip-components=1 --exclude='gcc-*/gcc/testsuite'
  # Where a full GCC build would put it; without it there are no threads.
  ln -sf ../source/libgcc/gthr-posix.h "$work/libgcc/gthr-default.h"
  cd "$work/build"
  CC="gcc -specs $specs" CXX="g++ -specs $specs" CFLAGS="-O1 -fPIC" CXXFLAGS="-O1 -fPIC" \
    ../source/libstdc++-v3/configure --host=x86_64-linux-musl --build=x86_64-linux-gnu --disable-multilib \
    --disable-nls --disable-libstdcxx-pch --disable-shared --enable-static
  make -j"$(nproc)"
  find_object >find-object.c
  gcc -specs "$specs" -shared -fPIC -o libstdc++.so.6 -Wl,-soname,libstdc++.so.6 \
    -Wl,--whole-archive src/.libs/libstdc++.a -Wl,--no-whole-archive find-object.c
}

# Debian's libgcc unwinds with a function that musl lacks.
find_object() {
  cat <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
struct found { unsigned long long flags; void *start, *end; struct link_map *map; void *eh_frame; };
struct query { uintptr_t pc; struct found *found; };
static int look(struct dl_phdr_info *info, size_t size, void *data) {
  struct query *query = data;
  uintptr_t start = 0, end = 0, eh_frame = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t at = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && query->pc >= at && query->pc < at + part->p_memsz) start = at, end = at + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME) eh_frame = at;
  }
  if (!start || !eh_frame) return 0;
  query->found->start = (void *)start, query->found->end = (void *)end, query->found->eh_frame = (void *)eh_frame;
  return 1;
}
__attribute__((visibility("hidden"))) int _dl_find_object(void *pc, struct found *found) {
  struct query query = {(uintptr_t)pc, found};
  return dl_iterate_phdr(look, &query) ? 0 : -1;
}
C
}

trap 'tail "$work/log" >&2' ERR
(build_libstdcxx) >"$work/log" 2>&1
mv "$work/build/libstdc++.so.6" "$work/"
rm -rf "$work/source" "$work/build" "$work/libgcc"
