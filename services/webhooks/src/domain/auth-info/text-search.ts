/** Finds several patterns in a text. */
export interface TextSearch {
  /**
   * Calls `found` with the end and the length of the longest pattern that ends there, for each such end. Returns the
   * length of the longest start of a pattern with which the text ends.
   */
  search(text: string, found: (end: number, length: number) => void): number
}

/** A number below 2^31 for each state of 4 MiB of patterns: maps find such keys the fastest. */
const characterCount = 256
const edge = (state: number, character: number) => state * characterCount + character

/**
 * Searches all patterns in one pass, in time linear in the patterns and the text, whatever their number. Patterns are
 * not empty, of characters up to U+00FF. Algorithm: Aho and Corasick, "Efficient String Matching: An Aid to
 * Bibliographic Search", 1975.
 *
 * A state is a start of a pattern; state 0 is the empty one. States are built by their length, since the failure of a
 * state, the longest shorter start with which it ends, is found among the shorter ones.
 */
export function createTextSearch(patterns: readonly string[]): TextSearch {
  const next = new Map<number, number>()
  const [lengths, failures] = [[0], [0]]
  /** For each state, the length of the longest pattern with which it ends; 0 for none. */
  const longest = [0]
  const step = (from: number, character: number): number => {
    if (character >= characterCount) return 0
    for (let state = from; ; state = failures[state] as number) {
      const following = next.get(edge(state, character))
      if (following !== undefined) return following
      if (state === 0) return 0
    }
  }
  const extend = (state: number, character: number): number => {
    const known = next.get(edge(state, character))
    if (known !== undefined) return known
    const failure = state === 0 ? 0 : step(failures[state] as number, character)
    const created = lengths.push((lengths[state] as number) + 1) - 1
    failures.push(failure)
    longest.push(longest[failure] as number)
    next.set(edge(state, character), created)
    return created
  }
  let unfinished = patterns.map((pattern) => ({ pattern, state: 0 }))
  for (let index = 0; unfinished.length > 0; index += 1) {
    for (const one of unfinished) one.state = extend(one.state, one.pattern.charCodeAt(index))
    for (const { pattern, state } of unfinished) if (pattern.length === index + 1) longest[state] = pattern.length
    unfinished = unfinished.filter(({ pattern }) => pattern.length > index + 1)
  }
  return {
    search(text, found) {
      let state = 0
      for (let index = 0; index < text.length; index += 1) {
        state = step(state, text.charCodeAt(index))
        const length = longest[state] as number
        if (length > 0) found(index + 1, length)
      }
      return lengths[state] as number
    },
  }
}
