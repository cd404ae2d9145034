import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Sites that attack the person who visits them: another site, and another port of the platform's host. */
export interface AttackSite {
  readonly origins: readonly string[]
  readonly close: () => Promise<void>
}

const json = `JSON.stringify({ email: 'mallory@example.com', role_ids: [] })`
const invitations = '/v1/identity/user-invitations'

/**
 * Each is a program in the page that sends one request or more to `target`, and may return a promise. `frame` opens a
 * document in a frame, `form` submits a form into a frame.
 */
export const attacks: readonly string[] = [
  `fetch(target + '/v1/identity/self', { credentials: 'include' })`,
  `fetch(target + '/v1/identity/self', { credentials: 'include', mode: 'no-cors' })`,
  `fetch(target + '/v1/identity/self', { credentials: 'include', headers: { 'X-Console': '1' } })`,
  `fetch(target + '${invitations}', { method: 'POST', credentials: 'include', mode: 'no-cors', body: ${json} })`,
  `fetch(target + '${invitations}', { method: 'POST', credentials: 'include', body: ${json}, headers: { 'X-Console': '1', 'Content-Type': 'application/json' } })`,
  `fetch(target + '/v1/api-key/keys', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"name":"x"}' })`,
  `fetch(target + '/v1/api-key/keys', { method: 'DELETE', credentials: 'include' })`,
  `fetch(target + '/session/sign-out', { method: 'POST', credentials: 'include', mode: 'no-cors' })`,
  `fetch(target + '/session/switch-tenant', { method: 'POST', credentials: 'include', mode: 'no-cors', body: new URLSearchParams({ tenant_id: id }) })`,
  `new Promise((resolve) => { const xhr = new XMLHttpRequest(); xhr.open('GET', target + '/v1/identity/users'); xhr.withCredentials = true; xhr.onloadend = resolve; xhr.send() })`,
  `navigator.sendBeacon(target + '${invitations}', ${json})`,
  `new Promise((resolve) => { const image = new Image(); image.onload = image.onerror = resolve; image.src = target + '/v1/identity/self' })`,
  `new Promise((resolve) => { const script = document.createElement('script'); script.onload = script.onerror = resolve; script.src = target + '/v1/identity/users'; document.head.append(script) })`,
  `new Promise((resolve) => { const link = document.createElement('link'); link.rel = 'stylesheet'; link.onload = link.onerror = resolve; link.href = target + '/v1/rbac/roles'; document.head.append(link) })`,
  `new Promise((resolve) => { const events = new EventSource(target + '/v1/identity/sessions', { withCredentials: true }); events.onerror = () => { events.close(); resolve() } })`,
  `frame(target + '/v1/identity/self')`,
  `form('POST', '/session/sign-out', {})`,
  `form('POST', '/session/switch-tenant', { tenant_id: id })`,
  `form('POST', '${invitations}', { '{"email":"mallory@example.com","role_ids":[],"x":"': '"}' }, 'text/plain')`,
  `form('GET', '/v1/identity/self', {})`,
  `sandboxed("fetch('" + target + "/v1/identity/self', { credentials: 'include', headers: { 'X-Console': '1' } })")`,
  `sandboxed("fetch('" + target + "/session/sign-out', { method: 'POST', credentials: 'include', mode: 'no-cors' })")`,
  `worker('/v1/identity/self', 'GET')`,
  `worker('/session/sign-out', 'POST')`,
]

const worker = `
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('message', async ({ data: { url, method }, ports: [port] }) => {
  await fetch(url, { method, credentials: 'include', mode: 'no-cors' }).catch(() => {})
  port.postMessage('done')
})`

const renderPage = (
  target: string,
) => `<!doctype html><meta charset="utf-8"><title>Another site</title><body><script type="module">
const target = ${JSON.stringify(target)}
const id = '0191e4a2-0000-7d11-8c55-91b6e0a7c010'
const opened = (frame) => new Promise((resolve) => { frame.onload = resolve; document.body.append(frame) })
const frame = (src) => opened(Object.assign(document.createElement('iframe'), { src }))
const sandboxed = (program) => {
  const inner = Object.assign(document.createElement('iframe'), { srcdoc: '<script>' + program + '.catch(() => {}).finally(() => parent.postMessage("done", "*"))<\\/script>' })
  inner.sandbox = 'allow-scripts'
  const done = new Promise((resolve) => addEventListener('message', resolve, { once: true }))
  document.body.append(inner)
  return done
}
let forms = 0
const form = async (method, path, fields, enctype) => {
  const name = 'frame-' + (forms += 1)
  const into = Object.assign(document.createElement('iframe'), { name })
  document.body.append(into)
  const sent = Object.assign(document.createElement('form'), { method, action: target + path, target: name })
  if (enctype !== undefined) sent.enctype = enctype
  for (const [field, value] of Object.entries(fields)) sent.append(Object.assign(document.createElement('input'), { name: field, value }))
  document.body.append(sent)
  const loaded = new Promise((resolve) => { into.onload = resolve })
  sent.submit()
  await loaded
}
const worker = async (path, method) => {
  await navigator.serviceWorker.register('/worker.js')
  const { active } = await navigator.serviceWorker.ready
  const { port1, port2 } = new MessageChannel()
  const done = new Promise((resolve) => { port1.onmessage = resolve })
  active.postMessage({ url: target + path, method }, [port2])
  await done
}
const limited = (work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, 5000))])
for (const attack of [${attacks.map((attack) => `() => ${attack}`).join(',\n')}]) {
  try { await limited(attack()) } catch {}
}
globalThis.isDone = true
</script>`

export async function attackSite(target: string): Promise<AttackSite> {
  const server: Server = createServer((request, response) => {
    const isWorker = request.url === '/worker.js'
    response.setHeader('Content-Type', isWorker ? 'text/javascript' : 'text/html')
    response.end(isWorker ? worker : renderPage(target))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
