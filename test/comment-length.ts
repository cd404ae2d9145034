export interface LongComment {
  readonly line: number
  readonly words: number
}

/** Comments of a text with more than `wordsMax` words: blocks, and `//` lines one below the other. */
export function longComments(text: string, wordsMax: number): LongComment[] {
  const comments = [...text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*(?:\n[ \t]*\/\/.*)*/gm)]
  return comments
    .map(({ 0: comment, index }) => ({ line: text.slice(0, index).split('\n').length, words: countWords(comment) }))
    .filter(({ words }) => words > wordsMax)
}

/** Words, without the marks of the comment and without drawings and table borders, which have no letters or digits. */
function countWords(comment: string): number {
  return comment.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length
}
