/** Finds several patterns in a text. */
export interface TextSearch {
  /**
   * Calls `found` with the end and the length of the longest pattern that ends there, for each such end. Returns the
   * length of the longest start of a pattern with which the text ends.
   */
  search(text: string, found: (end: number, length: number) => void): number
}

/** A state for each start of a pattern, by the characters that lead to it. State 0 is the empty start. */
interface States {
  readonly next: ReadonlyMap<number, number>
  readonly parents: readonly number[]
  readonly characters: readonly number[]
  readonly depths: readonly number[]
  /** The length of the pattern that the start is; 0 for none. */
  readonly ends: readonly number[]
}

/** A number below 2^31 for each state of 4 MiB of patterns: maps find such keys the fastest. */
const characterCount = 256
const edge = (state: number, character: number) => state * characterCount + character

/**
 * Searches all patterns in one pass, in time linear in the patterns and the text, whatever their number. Patterns are
 * not empty, of characters up to U+00FF. Algorithm: Aho and Corasick, "Efficient String Matching: An Aid to
 * Bibliographic Search", 1975.
 */
export function createTextSearch(patterns: readonly string[]): TextSearch {
  const states = buildStates(patterns)
  const { next, depths } = states
  const { failures, longest } = buildFailures(states)
  const step = (from: number, character: number): number => {
    if (character >= characterCount) return 0
    for (let state = from; ; state = failures[state] as number) {
      const following = next.get(edge(state, character))
      if (following !== undefined) return following
      if (state === 0) return 0
    }
  }
  return {
    search(text, found) {
      let state = 0
      for (let index = 0; index < text.length; index += 1) {
        state = step(state, text.charCodeAt(index))
        const length = longest[state] as number
        if (length > 0) found(index + 1, length)
      }
      return depths[state] as number
    },
  }
}

function buildStates(patterns: readonly string[]): States {
  const next = new Map<number, number>()
  const [parents, characters, depths, ends] = [[0], [0], [0], [0]]
  for (const pattern of patterns) {
    let state = 0
    for (let index = 0; index < pattern.length; index += 1) {
      const character = pattern.charCodeAt(index)
      let following = next.get(edge(state, character))
      if (following === undefined) {
        following = depths.push(index + 1) - 1
        next.set(edge(state, character), following)
        parents.push(state)
        characters.push(character)
        ends.push(0)
      }
      state = following
    }
    ends[state] = pattern.length
  }
  return { next, parents, characters, depths, ends }
}

/** For each state: the state that continues where no character follows, and the longest pattern that ends there. */
function buildFailures({ next, parents, characters, depths, ends }: States) {
  const failures = new Uint32Array(depths.length)
  const longest = Uint32Array.from(ends)
  for (const state of byDepth(depths)) {
    const parent = parents[state] as number
    if (parent !== 0) {
      const character = characters[state] as number
      let failure = failures[parent] as number
      while (failure !== 0 && !next.has(edge(failure, character))) failure = failures[failure] as number
      failures[state] = next.get(edge(failure, character)) ?? 0
    }
    longest[state] ||= longest[failures[state] as number] as number
  }
  return { failures, longest }
}

/** The states with the shorter ones first: the failure of a state is shorter. A counting sort. */
function byDepth(depths: readonly number[]): Uint32Array {
  const offsets = new Uint32Array(depths.length + 1)
  for (const depth of depths) offsets[depth + 1] = (offsets[depth + 1] as number) + 1
  for (let depth = 1; depth < offsets.length; depth += 1) {
    offsets[depth] = (offsets[depth] as number) + (offsets[depth - 1] as number)
  }
  const sorted = new Uint32Array(depths.length)
  depths.forEach((depth, state) => {
    const offset = offsets[depth] as number
    offsets[depth] = offset + 1
    sorted[offset] = state
  })
  return sorted
}
