import { LRUCache } from 'lru-cache'
import type { EpochReader } from './revalidator.ts'
import { createFlights } from './single-flight.ts'

/** Answers by key, bounded: the one not used for longest goes first. Each can be forgotten by any of the things it depends on. */
export interface Memory<A> {
  get(key: string): A | undefined
  put(key: string, answer: A): void
  /** Forgets what depends on the thing with this id. */
  forget(id: string): void
  clear(): void
}

interface MemoryOptions<A> {
  readonly answersMax: number
  /** The ids of what an answer depends on; always the same for the same answer. */
  readonly dependenciesOf: (answer: A) => readonly string[]
}

export function createMemory<A extends object>({ answersMax, dependenciesOf }: MemoryOptions<A>): Memory<A> {
  const dependents = createIndex()
  const unlink = (answer: A, key: string) => {
    for (const id of dependenciesOf(answer)) dependents.delete(id, key)
  }
  const answers = new LRUCache<string, A>({ max: answersMax, dispose: unlink })
  return {
    get: (key) => answers.get(key),
    put(key, answer) {
      answers.set(key, answer)
      for (const id of dependenciesOf(answer)) dependents.add(id, key)
    },
    forget(id) {
      for (const key of dependents.get(id)) answers.delete(key)
    },
    clear: () => answers.clear(),
  }
}

/** Which keys depend on an id. Most ids have one, which is kept without a set: of a hundred thousand, that is 45 MB. */
function createIndex() {
  const index = new Map<string, string | Set<string>>()
  return {
    get(id: string): readonly string[] {
      const keys = index.get(id)
      if (keys === undefined) return []
      return typeof keys === 'string' ? [keys] : [...keys]
    },
    add(id: string, key: string): void {
      const keys = index.get(id)
      if (keys === undefined) index.set(id, key)
      else if (typeof keys !== 'string') keys.add(key)
      else if (keys !== key) index.set(id, new Set([keys, key]))
    },
    delete(id: string, key: string): void {
      const keys = index.get(id)
      if (keys === key) index.delete(id)
      if (typeof keys !== 'object') return
      keys.delete(key)
      if (keys.size === 0) index.delete(id)
    },
  }
}

/** Finds an answer in the memory, or asks the owner and keeps the answer if that is safe. To be used after `catchUp` only. */
export type Recall<A> = (key: string, ask: () => Promise<A>) => A | Promise<A>

/** See epoch.ts for what this rests on. */
export function createRecall<A>(epoch: EpochReader, memory: Pick<Memory<A>, 'get' | 'put'>): Recall<A> {
  const flights = createFlights<A>()
  return (key, ask) => {
    const remembered = memory.get(key)
    if (remembered !== undefined) return remembered
    return flights(key, async () => {
      const before = epoch.position()
      const answer = await ask()
      if (epoch.position() === before) memory.put(key, answer)
      return answer
    })
  }
}
