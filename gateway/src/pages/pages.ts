import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { type Response, Router } from 'express'
import helmet from 'helmet'
import { type Addresses, localAddresses, withAddresses } from './addresses.ts'
import { type ConsolePages, consolePages } from './console-pages.ts'
import { guidePages, readGuides } from './guide.ts'
import { prefersPage } from './negotiation.ts'
import { problemPages } from './problem-pages.ts'
import { apiDocument } from './reference/document.ts'
import { referencePages } from './reference/reference-pages.ts'
import { searchEntries, searchPage, searchPath } from './search.ts'
import { type StaticPage, sendStaticPage, staticPage } from './static-page.ts'

/**
 * The pages that need no credential: the guides, the API reference, OpenAPI, and the problems. Paths are compared byte
 * for byte.
 */
export function pages(addresses: Addresses): Router {
  const { byPath, ofConsole } = staticPages(addresses)
  const router = Router()
  router.use((request, response, next) => {
    const query = request.url.indexOf('?')
    const path = query === -1 ? request.url : request.url.slice(0, query)
    const page = byPath.get(path) ?? consolePageOf(ofConsole, path)
    if (page === undefined) return next()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.set('Allow', 'GET, HEAD')
      throw new Problem(commonProblems.method_not_allowed)
    }
    setPagePolicy(request, response, () => {
      if (page === entry) {
        response.vary('Accept')
        if (prefersPage(request)) return redirect(response)
      }
      sendStaticPage(page, request, response)
    })
  })
  return router
}

/** Undefined for a chunk that this image does not have: an open page of another release then loads again. */
function consolePageOf(pages: ConsolePages, path: string): StaticPage | undefined {
  if (!pages.has(path)) return undefined
  return pages.files.get(path) ?? (path.startsWith('/console/assets/') ? undefined : pages.shell)
}

const jsonType = 'application/json; charset=utf-8'

/** `/` for programs. A reader in a browser is sent to the guides. */
const links = {
  documentation: '/docs',
  reference: '/docs/api',
  openapi: '/v1/openapi.json',
  problems: '/problems',
  changes: '/docs/changelog',
}
const entry = staticPage(JSON.stringify({ name: 'Payment Service', ...links }), { type: jsonType })

function redirect(response: Response): void {
  response.set({ Location: '/docs', 'Cache-Control': 'no-cache' }).status(302).end()
}

interface StaticPages {
  readonly byPath: ReadonlyMap<string, StaticPage>
  readonly ofConsole: ConsolePages
}

const built = new Map<string, StaticPages>()

/** Built once per process and addresses. */
export function staticPages(addresses = localAddresses): StaticPages {
  const key = JSON.stringify(addresses)
  const pagesOf = built.get(key) ?? { byPath: build(addresses), ofConsole: consolePages() }
  built.set(key, pagesOf)
  return pagesOf
}

function build(addresses: Addresses): ReadonlyMap<string, StaticPage> {
  const document = apiDocument()
  const guides = readGuides()
  const type = 'text/html; charset=utf-8'
  const page = (text: string, data?: StaticPage) => staticPage(withAddresses(text, addresses), { type, data })
  const openApi = staticPage(document.json, {
    type: jsonType,
    headers: { 'Access-Control-Allow-Origin': '*' },
  })
  return new Map([
    ['/', entry],
    ['/v1/openapi.json', openApi],
    ['/docs/search.json', staticPage(JSON.stringify(searchEntries(guides, document)), { type: jsonType })],
    [searchPath, page(searchPage())],
    ...Object.entries(assets).map(([name, assetType]): [string, StaticPage] => [
      `/docs/${name}`,
      staticPage(readFileSync(join(assetDirectory, name)), { type: assetType }),
    ]),
    ...[...guidePages(guides), ...referencePages(document)].map(([path, text]): [string, StaticPage] => [
      path,
      page(text),
    ]),
    ...[...problemPages(document)].map(([path, { text, data }]): [string, StaticPage] => [
      path,
      page(text, staticPage(JSON.stringify(data), { type: jsonType })),
    ]),
  ])
}

const assetDirectory = join(import.meta.dirname, '..', '..', 'assets')

const assets: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
  'search.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** Allows no inline content, no other origin, no evaluation of text, no form target and no frame. */
export const setPagePolicy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  // The gateway sets the header of every response.
  strictTransportSecurity: false,
})
