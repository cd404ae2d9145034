import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { userInvitationQueue } from '../src/delivery/queues.ts'
import type { Provider, SendOutcome } from '../src/providers/provider.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startLoop({ queue: userInvitationQueue })
})
afterAll(() => world.stop())

const url = 'https://console.example.com/session/accept#token-4711'

const invitation = (changes: object = {}) => ({
  message_id: randomUUID(),
  recipient: 'Ada@Example.com',
  tenant_name: 'Berlin Coffee <Mitte>',
  url,
  expires_at: '2026-12-02T22:36:00Z',
  ...changes,
})

const queue = (tenantId: string, body: object, into: World = world) =>
  into.identity().post(`/internal/tenants/${tenantId}/user-invitations`, body)

const stored = async (id: string, of: World = world) => {
  const [row] = await of.rows<{ status: string; content: unknown; error: { code: string } | null; attempts: number }>(
    'SELECT status::text, content, error, attempt_count AS attempts FROM user_invitation_mails WHERE id = $1::uuid',
    id,
  )
  return row
}
const isEnded = async (id: string, of?: World) => !['queued', undefined].includes((await stored(id, of))?.status)

describe('queueUserInvitation', () => {
  test('sends one mail for ten calls at once with one message id, and keeps no copy of the link', async () => {
    const tenant = world.tenant()
    const body = invitation()
    const replies = await Promise.all(Array.from({ length: 10 }, () => queue(tenant.id, body)))
    for (const reply of replies) expect([reply.status, reply.body]).toEqual([202, { id: body.message_id }])
    await until(() => isEnded(body.message_id))
    expect(await stored(body.message_id)).toMatchObject({ status: 'sent', content: null, attempts: 1 })
    expect(await tenant.outbox()).toHaveLength(1)
    expect((await queue(tenant.id, body)).body).toEqual({ id: body.message_id })
  })

  test('names the inviter, the product and the roles, each name in one line and bounded', async () => {
    const tenant = world.tenant()
    const name = `Ada\r\nBcc: x@example.com <b>${'x'.repeat(150)}`
    const named = { inviter: { name, email: 'ada@example.com' }, role_names: ['admin', 'a\u2028b'] }
    const body = invitation(named)
    expect((await queue(tenant.id, body)).status).toBe(202)
    await until(() => isEnded(body.message_id))
    const [mail] = await tenant.outbox()
    expect(mail?.text).toMatch(
      /^Ada Bcc: x@example\.com <b>x{1,60}… \(ada@example\.com\) invites you to become a user of Berlin Coffee <Mitte>, which manages its payments in Payment Service\.$/m,
    )
    expect(mail?.text).toMatch(/^Your roles: admin, a b\.$/m)
    expect(mail?.text).toContain('until 2 December 2026 at 22:36 UTC')
    expect(mail?.html).not.toContain('<b>x')
  })

  test('the subject names the tenant, the body the link, the expiry, and that a reader may ignore it', async () => {
    const tenant = world.tenant()
    const body = invitation()
    expect((await queue(tenant.id, body)).status).toBe(202)
    await until(() => isEnded(body.message_id))
    const [mail] = await tenant.outbox()
    expect(mail).toMatchObject({
      id: body.message_id,
      business_unit_id: null,
      communication_type: 'EMAIL',
      from_name: 'Berlin Coffee <Mitte>',
      reply_to: null,
      recipient: 'Ada@Example.com',
      subject: 'Invitation to Berlin Coffee <Mitte>',
    })
    for (const part of [url, '2 December 2026', '22:36 UTC', 'ignore it: nothing happens'])
      expect([part, mail.text.includes(part), mail.html.includes(part)]).toEqual([part, true, true])
    expect(mail.html).toContain('Berlin Coffee &lt;Mitte&gt;')
    expect(mail.html).toContain(`href="${url}"`)
  })

  test.each(['de-AT', 'de-AT-u-ca-buddhist-nu-thai'])('is in the language of the request: %s', async (locale) => {
    const tenant = world.tenant()
    const body = invitation({ locale })
    expect((await queue(tenant.id, body)).status).toBe(202)
    await until(() => isEnded(body.message_id))
    const [mail] = await tenant.outbox()
    expect(mail.subject).toBe('Einladung zu Berlin Coffee <Mitte>')
    expect(mail.text).toContain('Gültig bis: 2. Dezember 2026 um 22:36 UTC')
    expect(mail.html).toContain('<html lang="de-AT" dir="ltr">')
  })

  test('is in no list of the tenant, and emits no event', async () => {
    const tenant = world.tenant()
    const body = invitation()
    await queue(tenant.id, body)
    await until(() => isEnded(body.message_id))
    expect((await tenant.get('/v1/communication/communications')).body.data).toEqual([])
    expect((await tenant.get(`/v1/communication/communications/${body.message_id}`)).status).toBe(404)
    expect(await tenant.events()).toEqual([])
  })

  test('accepts a tenant name of the greatest length, in a subject of at most 200 characters', async () => {
    const tenant = world.tenant()
    const body = invitation({ tenant_name: 'é'.repeat(200) })
    expect((await queue(tenant.id, body)).status).toBe(202)
    await until(() => isEnded(body.message_id))
    const [mail] = await tenant.outbox()
    expect([mail.subject.length < 200, mail.text.includes('é'.repeat(200))]).toEqual([true, true])
  })

  test.each([
    ['another scheme', { url: 'javascript:alert(1)' }],
    ['a recipient without an address', { recipient: '+4930123456' }],
    ['two recipients', { recipient: 'a@example.com, b@example.com' }],
    ['no instant', { expires_at: 'tomorrow' }],
    ['a malformed language', { locale: 'd' }],
  ] as const)('rejects %s', async (_, changes) => {
    const tenant = world.tenant()
    const reply = await queue(tenant.id, invitation(changes))
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(await tenant.outbox()).toEqual([])
  })
})

describe('the rates of messages', () => {
  test('the invitations of a tenant have a rate of their own; another tenant has its own too', async () => {
    const limited = await startWorld({ rates: { perTenantAndMinute: 2 } })
    try {
      const [tenant, other] = [limited.tenant(), limited.tenant()]
      const send = (id: string) =>
        queue(id, invitation({ recipient: `${randomUUID()}@example.com` }), limited).then(({ status }) => status)
      expect([await send(tenant.id), await send(tenant.id), await send(tenant.id)]).toEqual([202, 202, 429])
      expect(await send(other.id)).toBe(202)
      expect((await tenant.send()).status).toBe(202)
    } finally {
      await limited.stop()
    }
  })

  test('one mailbox gets no more invitations than messages, in any spelling', async () => {
    const limited = await startWorld({ rates: { perRecipientAndHour: 2 } })
    try {
      const send = (recipient: string) =>
        queue(limited.tenant().id, invitation({ recipient }), limited).then(({ status }) => status)
      const spellings = ['ada@example.com', 'Ada@example.com', 'ada+1@example.com'].map(send)
      expect((await Promise.all(spellings)).toSorted((a, b) => a - b)).toEqual([202, 202, 429])
    } finally {
      await limited.stop()
    }
  })
})

describe('while the provider fails', () => {
  const failing = async (outcome: SendOutcome) => {
    const provider: Provider = { name: 'smtp', send: async () => outcome }
    const down = await startWorld({ provider })
    down.startLoop({ queue: userInvitationQueue })
    return down
  }

  test('a mail waits for its next attempt', async () => {
    const down = await failing({ kind: 'unavailable', reason: 'ECONNREFUSED' })
    try {
      const body = invitation()
      await queue(down.tenant().id, body, down)
      await until(async () => (await stored(body.message_id, down))?.attempts === 1)
      expect(await stored(body.message_id, down)).toMatchObject({ status: 'queued', error: null })
    } finally {
      await down.stop()
    }
  })

  test('a refused mail fails, and keeps no copy of the link', async () => {
    const down = await failing({ kind: 'refused', detail: '550 no such mailbox' })
    try {
      const body = invitation()
      await queue(down.tenant().id, body, down)
      await until(() => isEnded(body.message_id, down))
      expect(await stored(body.message_id, down)).toMatchObject({
        status: 'failed',
        content: null,
        error: { code: 'refused', detail: '550 no such mailbox' },
      })
    } finally {
      await down.stop()
    }
  })
})
