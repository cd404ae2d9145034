import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { contracts, problemsByCode } from '@payments/contracts/all'
import { openApiDocument } from '@payments/contracts/openapi'
import { commonProblems, Problem, type ProblemDefinition } from '@payments/contracts/problem'
import { Router } from 'express'
import helmet from 'helmet'
import { type StaticPage, sendStaticPage, staticPage } from './static-page.ts'

/** The index of the package would load the whole user interface into this process. */
const require = createRequire(import.meta.url)
const assets = dirname(require.resolve('swagger-ui-dist/package.json'))

/**
 * The pages that need no credential: OpenAPI, Swagger UI, and one page per problem. Paths are compared byte for byte.
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
function staticPages(): ReadonlyMap<string, StaticPage> {
  built ??= new Map([
    [
      '/v1/openapi.json',
      staticPage(JSON.stringify(openApiDocument(contracts)), {
        type: 'application/json; charset=utf-8',
        headers: { 'Access-Control-Allow-Origin': '*' },
      }),
    ],
    ['/docs', staticPage(docsPage, { type: html })],
    ['/docs/initialize.js', staticPage(initializeScript, { type: 'text/javascript; charset=utf-8' })],
    ['/docs/problem.css', staticPage(problemStyle, { type: 'text/css; charset=utf-8' })],
    ...Object.entries(assetTypes).map(([name, type]): [string, StaticPage] => [
      `/docs/${name}`,
      staticPage(readFileSync(join(assets, name)), { type, maxAgeSeconds: 86_400 }),
    ]),
    ...[...problemsByCode.values()].map((problem): [string, StaticPage] => [
      `/problems/${problem.code}`,
      staticPage(problemPage(problem), { type: html }),
    ]),
  ])
  return built
}

const html = 'text/html; charset=utf-8'

const assetTypes: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** Allows no inline content, no other origin and no frame. */
const policy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
})

/** Otherwise a browser requests `/favicon.ico`, which is a 404. */
const icon = '<link rel="icon" href="/docs/favicon-32x32.png">'

const docsPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Payment Service API</title>${icon}<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><main id="swagger-ui"></main><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/initialize.js"></script></body>
</html>
`

const initializeScript = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
})
`

const problemStyle = `body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.5rem; line-height: 1.3 }
code { background: #eee; padding: 0.1em 0.3em; border-radius: 3px }
dt { color: #595959 }
dd { margin: 0 0 0.5rem }
`

function problemPage({ code, status, title, explanation }: ProblemDefinition): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>${icon}<link rel="stylesheet" href="/docs/problem.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<dl><dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd><dt>Status</dt><dd>${status}</dd></dl>
<p>${escapeHtml(explanation).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
<p>For support, send the <code>trace_id</code> of the response. API reference: <a href="/docs">/docs</a>.</p>
</main>
</body>
</html>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
