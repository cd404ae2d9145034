import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { type PageAdvice, pageAdviceSuite } from '@payments/testing/suites/page-advice'
import { en } from '@payments/texts/en'
import request, { type Response } from 'supertest'
import { signInTexts } from '../src/pages/problem-page.ts'
import { consoleOrigin, startWorld, until, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const respond = (status: number, type: string, body: string) =>
  world.upstream.respond((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(status, { 'Content-Type': type }).end(body))
  })
const recover = () => respond(200, 'text/html', '<p>Page</p>')
beforeEach(recover)

type Method = 'get' | 'put' | 'post'
const host = new URL(consoleOrigin).host
const send = (path: string, { method = 'get' as Method, headers = {}, url = world.url } = {}) =>
  request(url)
    [method](path)
    .set({ Host: host, ...headers })
    .redirects(0)

/** The page of a path while the service has a problem. */
async function withProblem(path: string, code: keyof typeof commonProblems): Promise<Response> {
  respond(
    commonProblems[code].status,
    'application/problem+json',
    JSON.stringify(new Problem(commonProblems[code]).toBody(randomUUID())),
  )
  const shown = await send(path)
  recover()
  return shown
}

/** A gateway with one request of an address per second, and the page of one request more. */
async function limited(path: string) {
  const { url, stop } = await world.addGateway({ UNVERIFIED_REQUESTS_PER_MINUTE: '60' })
  const page = async () => {
    const reply = await send(path, { url })
    return reply.status === 429 ? reply : undefined
  }
  const shown = await until(page)
  const waited = () => until(async () => ((await send(path, { url })).status === 200 ? 200 : undefined)).finally(stop)
  return { shown, waited }
}

type Given = Readonly<Record<string, () => Promise<{ shown: Response; advised: () => Promise<unknown> }>>>

/** The page of a problem, and what responds to its instruction. `advised`: the statuses of what it names. */
const followed = (pages: string, texts: (page: string) => string, given: Given, leadsTo: unknown): PageAdvice[] =>
  Object.entries(given).map(([name, get]) => ({
    page: `${pages}.${name}`,
    advice: texts(name),
    given: async () => {
      const { shown, advised } = await get()
      return { shown: shown.text, advised, leadsTo }
    },
  }))

const callback = '/session/callback/acme?code=x'
const consoleAndSignIn = async () => [(await send('/console')).status, (await send('/session/sign-in')).status]
const ofProblem = async (code: keyof typeof commonProblems) => ({
  shown: await withProblem(callback, code),
  advised: consoleAndSignIn,
})

const ofSignIn: Given = {
  400: () => ofProblem('invalid_request'),
  403: async () => ({
    shown: await send('/session/sign-out', { method: 'post', headers: { 'Sec-Fetch-Site': 'cross-site' } }),
    advised: async () => {
      const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' }
      return [
        (await send('/console')).status,
        (await send('/session/sign-out', { method: 'post', headers }).send('a=b')).status,
      ]
    },
  }),
  404: async () => ({ shown: await send('/session/callback/'), advised: consoleAndSignIn }),
  405: async () => ({ shown: await send(callback, { method: 'put' }), advised: consoleAndSignIn }),
  408: async () => ({
    shown: await withProblem(callback, 'request_timeout'),
    advised: async () => [(await send(callback)).status, (await send('/session/sign-in')).status],
  }),
  413: () => ofProblem('payload_too_large'),
  415: () => ofProblem('unsupported_media_type'),
  422: () => ofProblem('idempotency_key_reused'),
  429: async () => {
    const { shown, waited } = await limited('/session/sign-in')
    return { shown, advised: async () => [(await send('/console')).status, await waited()] }
  },
  431: async () => ({
    shown: await send('/session/sign-in', { headers: { Cookie: `a=${'x'.repeat(17 * 1024)}` } }),
    advised: consoleAndSignIn,
  }),
  other: () => ofProblem('service_unavailable'),
}

const link = `/pay/${'a'.repeat(32)}`
const linkAgain = async () => (await send(link)).status

const ofPayments: Given = {
  unreadable: async () => ({ shown: await send(link, { method: 'put' }), advised: linkAgain }),
  missing: async () => ({ shown: await send('/pay/'), advised: linkAgain }),
  late: async () => ({ shown: await withProblem(link, 'request_timeout'), advised: linkAgain }),
  limited: async () => {
    const { shown, waited } = await limited(link)
    return { shown, advised: waited }
  },
  unavailable: async () => ({ shown: await withProblem(link, 'service_unavailable'), advised: linkAgain }),
}

const { support, ...payment } = en.problemPage
const signIn = new Map(Object.entries(signInTexts).map(([status, [, text]]) => [status, text]))
const ofPayment = new Map(Object.entries(payment).map(([problem, [, text]]) => [problem, text]))

pageAdviceSuite(
  new Map([
    ...[...signIn].map(([status, text]) => [`signIn.${status}`, text] as const),
    ...[...ofPayment].map(([problem, text]) => [`payment.${problem}`, text] as const),
    ['support', support],
  ]),
  [
    ...followed('signIn', (status) => signIn.get(status) ?? '', ofSignIn, [200, 200]),
    ...followed('payment', (problem) => ofPayment.get(problem) ?? '', ofPayments, 200),
  ],
  [],
  ['support'],
)
