import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import type { Deps } from '../src/deps.ts'
import { created, httpProvider, startWorld, stripe, type World } from './world.ts'

const listed = 'https://cards.bank.example.com'
const other = 'https://attacker.example.net'
const ownOrigin = 'https://pay.example.com'
/** As outside of development. */
const cardPages: Deps['cardPages'] = { origins: { http: [listed] }, listedOnly: true, ownOrigin }

let world: World
let development: World
beforeAll(async () => {
  world = await startWorld({ cardPages })
  development = await startWorld({ cardPages: { ...cardPages, listedOnly: false } })
})
afterAll(() => Promise.all([world.stop(), development.stop()]))

const pages = (origin: string) => ({ iframe_url: `${origin}/page`, tokenizer_url: `${origin}/tokens` })
const unlisted = 'must be on an origin that the operator of the platform lists for the connector'

test('takes a card page on an origin that the operator lists for the connector, and says that it is trusted', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider(pages(listed)))
  expect(one).toMatchObject({ ...pages(listed), card_page_trusted: true })
  expect((await created(of, httpProvider())).card_page_trusted).toBe(false)
  const events = await world.events(of.tenantId)
  expect(events.at(-2)?.payload.payment_orchestrator).toEqual(one)
  const found = await world
    .asService('payment-proxy')
    .get(`/internal/tenants/${of.tenantId}/business-units/${of.unit.id}`)
  expect(found.body.payment_orchestrators[0]).toEqual(one)
})

test.each([
  ['another origin', httpProvider(pages(other)), ['/iframe_url', '/tokenizer_url']],
  ['another port', httpProvider({ iframe_url: `${listed}:8443/page` }), ['/iframe_url']],
  ['a subdomain', httpProvider({ iframe_url: 'https://x.cards.bank.example.com/page' }), ['/iframe_url']],
  ['the listed origin of another connector', stripe(pages(listed)), ['/iframe_url', '/tokenizer_url']],
  ['another origin of the tokenizer', httpProvider({ ...pages(listed), tokenizer_url: other }), ['/tokenizer_url']],
])(
  'rejects %s outside of development, at creation and at a change, and names the fields',
  async (_, body, pointers) => {
    const of = await world.unit()
    const reply = await of.tenant.post(of.orchestrators, body)
    expect(outcome(reply)).toEqual([422, 'destination_not_allowed'])
    expect(reply.body.errors).toEqual(pointers.map((pointer) => ({ pointer, detail: unlisted })))
    const { iframe_url, tokenizer_url, ...rest } = body as Record<string, unknown>
    const one = await created(of, rest)
    const { gateway_authentication } = body
    const change = { gateway_authentication, iframe_url, ...(tokenizer_url === undefined ? {} : { tokenizer_url }) }
    const changed = await of.tenant.patch(`${of.orchestrators}/${one.id}`, change)
    expect(outcome(changed)).toEqual([422, 'destination_not_allowed'])
    expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body).toEqual(one)
  },
)

test('takes any card page in development, and trusts listed ones only', async () => {
  const of = await development.unit()
  const foreign = await created(of, httpProvider(pages(other)))
  expect(foreign).toMatchObject({ ...pages(other), card_page_trusted: false })
  const { gateway_authentication } = httpProvider()
  const path = `${of.orchestrators}/${foreign.id}`
  const change = async (fields: object) => (await of.tenant.patch(path, { gateway_authentication, ...fields })).body
  expect((await change({ iframe_url: `${listed}/page` })).card_page_trusted).toBe(false)
  expect((await change({ tokenizer_url: null })).card_page_trusted).toBe(true)
  expect((await change({ iframe_url: null })).card_page_trusted).toBe(false)
})

test('rejects the origin of the pay pages everywhere', async () => {
  for (const one of [world, development]) {
    const of = await one.unit()
    const reply = await of.tenant.post(of.orchestrators, httpProvider({ iframe_url: `${ownOrigin}/pay/x` }))
    expect(outcome(reply)).toEqual([422, 'destination_not_allowed'])
    expect(reply.body.errors).toEqual([
      { pointer: '/iframe_url', detail: 'must not be on the origin of the pay pages' },
    ])
  }
})
