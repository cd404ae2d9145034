/** Text that is HTML already. Only the tag `html` and `verbatim` make it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** A template whose values are escaped, unless they are HTML. Values of attributes must be quoted. Null is empty. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, index) => string + renderPart(parts[index] ?? null)).join(''))
}

/** HTML, style sheet or script of our own code, unchanged. */
export function verbatim(text: string): Html {
  return new Html(text)
}

function renderPart(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return String(part).replaceAll(/[&<>"'`]/g, (character) => entities[character] ?? '')
}
