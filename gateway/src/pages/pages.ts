import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { Router } from 'express'
import helmet from 'helmet'
import { guidePages } from './guide.ts'
import { problemPages } from './problem-pages.ts'
import { apiDocument } from './reference/document.ts'
import { referencePages } from './reference/reference-pages.ts'
import { type StaticPage, sendStaticPage, staticPage } from './static-page.ts'

/**
 * The pages that need no credential: the guides, the API reference, OpenAPI, and the problems. Paths are compared byte
 * for byte.
 */
export function pages(): Router {
  const byPath = staticPages()
  const router = Router()
  router.use((request, response, next) => {
    const query = request.url.indexOf('?')
    const page = byPath.get(query === -1 ? request.url : request.url.slice(0, query))
    if (page === undefined) return next()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.set('Allow', 'GET, HEAD')
      throw new Problem(commonProblems.method_not_allowed)
    }
    policy(request, response, () => sendStaticPage(page, request, response))
  })
  return router
}

let built: ReadonlyMap<string, StaticPage> | undefined

/** Built once per process. */
export function staticPages(): ReadonlyMap<string, StaticPage> {
  built ??= build()
  return built
}

function build(): ReadonlyMap<string, StaticPage> {
  const document = apiDocument()
  const type = 'text/html; charset=utf-8'
  const openApi = staticPage(document.json, {
    type: 'application/json; charset=utf-8',
    headers: { 'Access-Control-Allow-Origin': '*' },
  })
  return new Map([
    ['/v1/openapi.json', openApi],
    ...Object.entries(assets).map(([name, assetType]): [string, StaticPage] => [
      `/docs/${name}`,
      staticPage(readFileSync(join(assetDirectory, name)), { type: assetType }),
    ]),
    ...[...guidePages(), ...referencePages(document), ...problemPages()].map(([path, text]): [string, StaticPage] => [
      path,
      staticPage(text, { type }),
    ]),
  ])
}

const assetDirectory = join(import.meta.dirname, '..', '..', 'assets')

const assets: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** Allows no inline content, no other origin, no evaluation of text, no form target and no frame. */
const policy = helmet({
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
})
