/** So that each subject, which has at most 200 characters, fits with its amount. UTF-16 units, as subjects count. */
const lengthMax = 120

const graphemes = new Intl.Segmenter()

/** A name for a subject: whole characters as readers see them, and `…` for the rest. */
export function shortName(name: string): string {
  if (name.length <= lengthMax) return name
  let short = ''
  for (const { segment } of graphemes.segment(name)) {
    if (short.length + segment.length >= lengthMax) break
    short += segment
  }
  return `${short.trimEnd()}…`
}
