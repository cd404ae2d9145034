import { type Html, html, verbatim } from '@payments/chassis/base/html'
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'

const languages = { sh: bash, go, json, python, ts: typescript }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

/** Code with colours, or as it is in a language without them. */
export function highlight(text: string, language: string): Html {
  return language in languages ? verbatim(highlighter.highlight(text, { language }).value) : html`${text}`
}
