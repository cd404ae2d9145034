import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { type Response, Router } from 'express'
import helmet from 'helmet'
import type { Addresses } from './addresses.ts'
import { consolePages } from './console-pages.ts'
import { documentationPages } from './documentation-pages.ts'
import { prefersPage } from './negotiation.ts'
import { sendStaticPage, staticPage } from './static-page.ts'

/** The pages that need no credential: the documentation and the console. Paths are compared byte for byte. */
export function pages(addresses: Addresses): Router {
  const documentation = documentationPages(addresses)
  const consolePage = consolePages()
  const router = Router()
  router.use((request, response, next) => {
    const query = request.url.indexOf('?')
    const path = query === -1 ? request.url : request.url.slice(0, query)
    const page = path === '/' ? entry : (documentation.get(path) ?? consolePage(path))
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

/** `/` for programs. A reader in a browser is sent to the guides. */
const links = {
  documentation: '/docs',
  reference: '/docs/api',
  openapi: '/v1/openapi.json',
  problems: '/problems',
  changes: '/docs/changelog',
}
const entry = staticPage(JSON.stringify({ name: 'Payment Service', ...links }), {
  type: 'application/json; charset=utf-8',
})

function redirect(response: Response): void {
  response.set({ Location: '/docs', 'Cache-Control': 'no-cache' }).status(302).end()
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
