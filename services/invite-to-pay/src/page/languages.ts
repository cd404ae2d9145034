import { type Html, html } from '@payments/chassis/base/html'
import { textsByLanguage } from '@payments/texts/by-language'
import type { Texts } from '@payments/texts/texts'
import { globe } from './signs.ts'

/** Links to the page at `path` in each language, so that the choice works without JavaScript. */
export function languageChoice(path: string, current: Texts): Html {
  return html`<nav class="languages" aria-label="${current.payPage.language}"><details>
<summary>${globe()}<span>${current.name}</span></summary>
<ul>${Object.values(textsByLanguage).map(
    ({ tag, name }) =>
      html`<li><a href="${path}?lang=${tag}" hreflang="${tag}" lang="${tag}"${
        tag === current.tag ? html` aria-current="true"` : null
      }>${name}</a></li>
`,
  )}</ul>
</details></nav>`
}
