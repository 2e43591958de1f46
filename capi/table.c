/* table.c: tables whose slots are never freed and never move, so that a handle of any value may be looked up from any thread. */
#include "front.h"

#include <stdlib.h>

void aicc__table_init(table *t, size_t size, uint32_t max)
{
    t->size = size;
    t->max = max;
}

slot *aicc__table_at(const table *t, uint32_t index)
{
    uint32_t scaled = index / TABLE_FIRST + 1, k = 31u - (uint32_t)__builtin_clz(scaled);
    uint32_t first = ((1u << k) - 1) * TABLE_FIRST;
    char *chunk = k < TABLE_CHUNKS ? atomic_load_explicit(&t->chunk[k], memory_order_acquire) : NULL;
    return chunk != NULL ? (slot *)(void *)(chunk + (size_t)(index - first) * t->size) : NULL;
}

static slot *grow(table *t)
{
    uint32_t index = t->used;
    slot *s;
    if (index >= t->max)
        return NULL;
    s = aicc__table_at(t, index);
    if (s == NULL) {
        uint32_t k = 31u - (uint32_t)__builtin_clz(index / TABLE_FIRST + 1);
        char *chunk = calloc((size_t)TABLE_FIRST << k, t->size);
        if (chunk == NULL)
            return NULL;
        for (uint32_t i = 0; i < (uint32_t)TABLE_FIRST << k; i++)
            ((slot *)(void *)(chunk + i * t->size))->index = index + i;
        atomic_store_explicit(&t->chunk[k], chunk, memory_order_release);
        s = aicc__table_at(t, index);
    }
    t->used++;
    return s;
}

slot *aicc__table_new(table *t)
{
    slot *s;
    uint32_t gen;
    if (t->free_head != 0) {
        s = aicc__table_at(t, t->free_head - 1);
        t->free_head = s->next_free;
    } else if ((s = grow(t)) == NULL) {
        return NULL;
    }
    gen = word_gen(atomic_load_explicit(&s->word, memory_order_relaxed)) + 1;
    atomic_store_explicit(&s->word, word_of(gen != 0 ? gen : 1, 0), memory_order_relaxed);
    t->live++;
    return s;
}

static void append_free(table *t, slot *s)
{
    s->next_free = 0;
    if (t->free_head == 0)
        t->free_head = s->index + 1;
    else
        aicc__table_at(t, t->free_tail - 1)->next_free = s->index + 1;
    t->free_tail = s->index + 1;
}

void aicc__table_free(table *t, slot *s)
{
    atomic_store(&s->word, word_of(word_gen(atomic_load(&s->word)), 0));
    append_free(t, s);
    t->live--;
}

void aicc__table_reset(table *t)
{
    t->free_head = t->free_tail = t->live = 0;
    for (uint32_t i = 0; i < t->used; i++) {
        slot *s = aicc__table_at(t, i);
        uint32_t gen = word_gen(atomic_load(&s->word));
        atomic_store(&s->floor, gen);
        atomic_store(&s->word, word_of(gen, 0));
        append_free(t, s);
    }
}
