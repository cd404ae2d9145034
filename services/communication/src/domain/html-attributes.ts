const [space, tab, lineFeed, formFeed, carriageReturn] = [32, 9, 10, 12, 13]
const [doubleQuote, singleQuote, slash, less, equals, greater] = [34, 39, 47, 60, 61, 62]

/**
 * The number of attributes in the tags of HTML, and the most of one tag, as a browser separates them: by white space,
 * `/` and the end of a quoted value. Reads each character once, so it can decide whether a parser may have the text.
 * Tags in a comment count too.
 */
export function countAttributes(html: string): { readonly count: number; readonly mostOfTag: number } {
  let [count, before, mostOfTag] = [0, 0, 0]
  let [isInTag, isBetween, isAfterEquals, quote] = [false, false, false, 0]
  for (let at = 0; at < html.length; at += 1) {
    const code = html.charCodeAt(at)
    if (!isInTag) [isInTag, before] = [code === less, count]
    else if (quote !== 0) {
      if (code === quote) [quote, isBetween] = [0, true]
    } else if (code === greater) [isInTag, isBetween, isAfterEquals] = [false, false, false]
    else if (isSpace(code) || code === slash) isBetween = true
    else if (isAfterEquals && (code === doubleQuote || code === singleQuote)) [quote, isAfterEquals] = [code, false]
    else if (code === equals) [isAfterEquals, isBetween] = [true, false]
    else {
      if (isBetween && !isAfterEquals) {
        count += 1
        mostOfTag = Math.max(mostOfTag, count - before)
      }
      ;[isBetween, isAfterEquals] = [false, false]
    }
  }
  return { count, mostOfTag }
}

const isSpace = (code: number) =>
  code === space || code === tab || code === lineFeed || code === formFeed || code === carriageReturn
