import { Html, html } from '@payments/chassis/base/html'
import type { PayPageTexts } from '@payments/texts/texts'

const [time, zone] = ['<time>', '<zone>'].map((text) => new Html(text)) as [Html, Html]
const value = html`<bdi>V</bdi>`

/** Each text of a table by its path; those with parameters with `V` in place of each. */
export function textsIn(texts: PayPageTexts): Map<string, string> {
  const { payTitle, payBy, greeting, itemCount, referenceLine, questions, ...rest } = texts
  const found = new Map<string, string>([
    ['payTitle', payTitle('V', 'V')],
    ['payBy', payBy(time, zone).text],
    ['greeting', greeting(value, value).text],
    ['referenceLine', referenceLine(value).text],
    ['questions', questions(value).text],
    ...[1, 2, 5, 22].map((count): [string, string] => [`itemCount ${count}`, itemCount(count)]),
  ])
  const visit = (path: string, given: unknown): void => {
    if (typeof given === 'string') found.set(path, given)
    else if (typeof given === 'function') {
      const text: unknown = given(path.endsWith('.pay') ? 'V' : value)
      found.set(path, text instanceof Html ? text.text : String(text))
    } else if (typeof given === 'object' && given !== null) {
      for (const [name, member] of Object.entries(given)) visit(path === '' ? name : `${path}.${name}`, member)
    }
  }
  visit('', rest)
  return found
}
