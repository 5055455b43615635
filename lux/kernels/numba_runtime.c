// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// What compiled kernels call of Numba's runtime, for those that run without Numba: they allocate arrays of their own,
// and count references to them inline. The layout of an allocation is Numba's.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCAL __attribute__((visibility("hidden")))

typedef struct {
  size_t references;
  void (*destructor)(void*, size_t, void*);
  void* of_destructor;
  void* data;
  size_t size;
  void* allocator;
} allocation;

LOCAL void* NRT_Allocate(size_t size) { return malloc(size); }

LOCAL void NRT_Free(void* place) { free(place); }

LOCAL allocation* NRT_MemInfo_alloc_aligned(size_t size, unsigned alignment) {
  char* place = malloc(sizeof(allocation) + size + 2 * (size_t)alignment);
  if (!place) return NULL;
  char* data = place + sizeof(allocation);
  if (alignment) data += (alignment - (size_t)data % alignment) % alignment;
  allocation* made = (allocation*)place;
  *made = (allocation){1, NULL, NULL, data, size, NULL};
  return made;
}

LOCAL allocation* NRT_MemInfo_alloc(size_t size) { return NRT_MemInfo_alloc_aligned(size, 0); }

LOCAL void NRT_MemInfo_call_dtor(allocation* unused) {
  if (unused->destructor) unused->destructor(unused->data, unused->size, unused->of_destructor);
  free(unused);
}

static void free_resizable(void* data, size_t size, void* of_elements) {
  (void)size;
  if (of_elements) ((void (*)(void*))of_elements)(data);
  free(data);
}

LOCAL allocation* NRT_MemInfo_new_varsize_dtor(size_t size, void* of_elements) {
  void* data = malloc(size);
  allocation* made = data ? malloc(sizeof(allocation)) : NULL;
  if (made) {
    *made = (allocation){1, free_resizable, of_elements, data, size, NULL};
  } else {
    free(data);
  }
  return made;
}

// Kernels reshape arrays of their own alone, which are contiguous.
LOCAL int numba_attempt_nocopy_reshape(intptr_t dimensions, const intptr_t* shape, const intptr_t* strides,
                                       intptr_t new_dimensions, const intptr_t* new_shape, intptr_t* new_strides,
                                       intptr_t element, int by_columns) {
  intptr_t expected = element, next = element;
  for (intptr_t k = dimensions; k-- > 0; expected *= shape[k]) {
    if (shape[k] > 1 && strides[k] != expected) return 0;
  }
  if (by_columns) return 0;
  for (intptr_t k = new_dimensions; k-- > 0; next *= new_shape[k]) new_strides[k] = next;
  return 1;
}

void lux_release(allocation* returned) {
  if (returned && __atomic_sub_fetch(&returned->references, 1, __ATOMIC_ACQ_REL) == 0) NRT_MemInfo_call_dtor(returned);
}
