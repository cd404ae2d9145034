import { html } from '@payments/chassis/base/html'
import { problemsByCode } from '@payments/contracts/edges/contracts'
import { marked, type Token } from 'marked'
import { type Guide, headingId } from './guide.ts'
import { layout } from './layout.ts'
import type { ApiDocument, Operation } from './reference/document.ts'
import { innerSchemas, readReference, type Schema } from './reference/schema.ts'

/** An entry of the search of the documentation. `search.js` reads the entries, and searches in the browser. */
interface SearchEntry {
  readonly kind: 'Guide' | 'Operation' | 'Event' | 'Problem'
  readonly title: string
  readonly href: string
  readonly text: string
}

export const searchPath = '/docs/search'

export function searchPage(): string {
  const content = html`<h1>Search</h1>
<div role="search"><label>Search guides, operations, events and problems
<input type="search" id="search" autocomplete="off" spellcheck="false"></label></div>
<p id="without-search">The search needs JavaScript. Without it, read the <a href="/docs">guides</a>, the list of
<a href="/docs/api">operations</a> and the list of <a href="/problems">problems</a>.</p>
<p id="found" role="status"></p>
<ul id="results" class="operations"></ul>
`
  return layout({ title: 'Search', path: searchPath, navigation: [], content, script: '/docs/search.js' })
}

export function searchEntries(guides: readonly Guide[], document: ApiDocument): SearchEntry[] {
  const operations = document.services.flatMap((service) => service.operations)
  return [
    ...guides.flatMap(guideEntries),
    ...operations.map((operation): SearchEntry => operationEntry(operation, document)),
    ...document.events.map(({ name, description }): SearchEntry => {
      return { kind: 'Event', title: name, href: `/docs/api/events#${name}`, text: plain(description) }
    }),
    ...[...problemsByCode.values()].map(({ code, title, explanation }): SearchEntry => {
      return { kind: 'Problem', title: `${code}: ${title}`, href: `/problems/${code}`, text: plain(explanation) }
    }),
  ]
}

function operationEntry(operation: Operation, { schemas }: ApiDocument): SearchEntry {
  const { service, name, method, path, title, description, parameters, body } = operation
  const fields = body === undefined ? [] : fieldNames(body.media.schema, schemas)
  const words = [name, `${method} ${path}`, plain(description), ...parameters.map((one) => one.name), ...fields]
  return { kind: 'Operation', title, href: `/docs/api/${service}#${name}`, text: words.join(' ') }
}

/** The names of the fields of a body, and of the objects inside it. */
function fieldNames(schema: Schema, schemas: Readonly<Record<string, Schema>>, depth = 0): string[] {
  const name = readReference(schema)
  if (depth > 3) return []
  if (name !== undefined) return fieldNames(schemas[name] ?? {}, schemas, depth + 1)
  const nested = innerSchemas(schema).flatMap((one) => fieldNames(one, schemas, depth + 1))
  return [...new Set([...Object.keys(schema.properties ?? {}), ...nested])]
}

/** An entry per heading of a guide, with the text below it. Code is left out. */
function guideEntries({ path, title, markdown }: Guide): SearchEntry[] {
  const entries: (SearchEntry & { text: string })[] = []
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = plain(String(token['text']))
      const isFirst = entries.length === 0
      entries.push({
        kind: 'Guide',
        title: isFirst ? title : `${title}: ${heading}`,
        href: isFirst ? path : `${path}#${headingId(heading)}`,
        text: '',
      })
    } else {
      const section = entries.at(-1)
      if (section !== undefined) section.text = `${section.text} ${tokenText(token)}`.trim()
    }
  }
  return entries
}

const tokenText = (token: Token) => (token.type === 'code' ? '' : plain(token.raw))

/** Text without the marks of Markdown. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|^#+ |\|[-|]+\|/gm, '')
    .replaceAll(/[|\s]+/g, ' ')
    .trim()
}
