import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorPage } from './error-page.ts'
import { guidePages, readGuides } from './guide.ts'
import { problemData, problemPages } from './problem-pages.ts'
import { apiDocument } from './reference/document.ts'
import { referencePages } from './reference/reference-pages.ts'
import { searchEntries, searchPage, searchPath } from './search.ts'

/**
 * Writes the documentation to `dist`: `pages` has a file per path of the site, a page as `<path>.html`. `data` has the
 * JSON that a program gets in place of a page. `error-page.html` is the template of an error.
 */
const folder = join(import.meta.dirname, '..')
const dist = join(folder, 'dist')

function write(name: string, text: string): void {
  const file = join(dist, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const document = apiDocument()
const guides = readGuides()
const pages = [...guidePages(guides), ...referencePages(document), ...problemPages(document)]

rmSync(dist, { recursive: true, force: true })
for (const [path, text] of pages) write(`pages${path}.html`, text)
write(`pages${searchPath}.html`, searchPage())
write(`pages${searchPath}.json`, JSON.stringify(searchEntries(guides, document)))
write('pages/v1/openapi.json', document.json)
cpSync(join(folder, 'assets'), join(dist, 'pages', 'docs'), { recursive: true })
for (const [path, data] of problemData()) write(`data${path}.json`, JSON.stringify(data))
write('error-page.html', errorPage())
