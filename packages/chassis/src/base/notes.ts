/** Notes that nothing waits for, one per key, until a flush writes them together. */
export interface Notes<Note> {
  add(key: string, note: Note): void
  /** `watcher` is called after each `add`. Returns the function that ends the watch. */
  watch(watcher: () => void): () => void
  /** Writes the notes. Rejects with the error of a write; the notes that are not written stay for the next flush. */
  flush(): Promise<void>
}

export interface NotesOptions<Note> {
  readonly write: (notes: readonly Note[]) => Promise<unknown>
  /** The note of a key that has one already. */
  readonly merge: (earlier: Note, later: Note) => Note
  /** Notes of further keys are lost. */
  readonly notesMax: number
  /** Of one write. Default: 1,000. */
  readonly perWriteMax?: number
}

/** When the process is killed, the notes since the last flush are lost. */
export function createNotes<Note>({ write, merge, notesMax, perWriteMax = 1_000 }: NotesOptions<Note>): Notes<Note> {
  let notes = new Map<string, Note>()
  const watchers = new Set<() => void>()
  const add = (key: string, note: Note) => {
    const earlier = notes.get(key)
    if (earlier !== undefined) notes.set(key, merge(earlier, note))
    else if (notes.size < notesMax) notes.set(key, note)
  }
  const restore = (unwritten: readonly [key: string, note: Note][]) => {
    const later = notes
    notes = new Map(unwritten)
    for (const [key, note] of later) add(key, note)
  }
  return {
    add: (key, note) => {
      add(key, note)
      for (const watcher of watchers) watcher()
    },
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    flush: async () => {
      const taken = [...notes]
      notes = new Map()
      for (let start = 0; start < taken.length; start += perWriteMax) {
        try {
          await write(taken.slice(start, start + perWriteMax).map(([, note]) => note))
        } catch (error) {
          restore(taken.slice(start))
          throw error
        }
      }
    },
  }
}
