import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readRows } from '@payments/testing/database/rows'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Tenant = ReturnType<World['tenant']>

/** A template whose text names itself; the text of a message says which template it has. */
const createTranslation = async (tenant: Tenant, locale: string | null, changes: object = {}): Promise<string> => {
  const text = `${locale} for {{name}}`
  const { body } = await tenant.template({ name: 'Order', locale, text, html: null, ...changes })
  return body.id
}

const sentTo = async (tenant: Tenant, templateId: string, locale?: string, changes: object = {}) => {
  const body = { template_id: templateId, variables: { name: 'Ada' }, subject: undefined, text: undefined, ...changes }
  const { body: sent } = await tenant.send({ ...body, ...(locale === undefined ? {} : { locale }) }).expect(202)
  const [row] = await world.rows<{ text: string }>(
    "SELECT content ->> 'text' AS text FROM communications WHERE id = $1::uuid",
    sent.id,
  )
  return { templateId: sent.template_id, text: row?.text }
}

test('a message has the same locale, else the language, else another region of it, else the named template', async () => {
  const tenant = world.tenant()
  const named = await createTranslation(tenant, null)
  const ids = new Map<string | null, string>([[null, named]])
  for (const locale of ['en', 'de', 'de-AT', 'pt-BR']) ids.set(locale, await createTranslation(tenant, locale))
  const nearest: Record<string, string | null> = {
    ...{ en: 'en', 'en-US': 'en', de: 'de', 'de-AT': 'de-AT', 'de-CH': 'de' },
    ...{ pt: 'pt-BR', 'pt-PT': 'pt-BR', fr: null },
  }
  for (const [wanted, locale] of Object.entries(nearest)) {
    const { templateId, text } = await sentTo(tenant, named, wanted)
    expect([wanted, templateId, text]).toEqual([wanted, ids.get(locale), `${locale} for Ada`])
  }
  const { templateId } = await sentTo(tenant, ids.get('de') as string, 'en')
  expect(templateId).toBe(ids.get('en'))
})

test('without a locale, a message is in the language of its unit, else in English', async () => {
  const tenant = world.tenant()
  const german = tenant.addUnit({ default_locale: 'de' })
  const named = await createTranslation(tenant, null)
  await createTranslation(tenant, 'de')
  await createTranslation(tenant, 'en')
  expect((await sentTo(tenant, named, undefined, { business_unit_id: german })).text).toBe('de for Ada')
  expect((await sentTo(tenant, named)).text).toBe('en for Ada')
})

test('of equals, the named template wins, then the newest', async () => {
  const tenant = world.tenant()
  const named = await createTranslation(tenant, 'en')
  const first = await createTranslation(tenant, 'de')
  const second = await createTranslation(tenant, 'de')
  expect((await sentTo(tenant, named, 'de')).templateId).toBe(second)
  expect((await sentTo(tenant, first, 'de')).templateId).toBe(first)
  await tenant.delete(`/v1/communication/templates/${second}`).expect(204)
  expect((await sentTo(tenant, named, 'de')).templateId).toBe(first)
})

test('a template of another name, channel, unit or tenant is no translation', async () => {
  const tenant = world.tenant()
  const other = tenant.addUnit()
  const ofUnit = await createTranslation(tenant, 'en', { business_unit_id: tenant.unitId })
  await createTranslation(tenant, 'de', { name: 'Other' })
  await createTranslation(tenant, 'de', { business_unit_id: other })
  await createTranslation(tenant, 'de')
  await createTranslation(tenant, 'de', { communication_type: 'SMS', subject: null, business_unit_id: tenant.unitId })
  const stranger = world.tenant()
  await createTranslation(stranger, 'de', { business_unit_id: stranger.unitId })
  await createTranslation(stranger, 'de')
  expect((await sentTo(tenant, ofUnit, 'de')).templateId).toBe(ofUnit)
})

test('a new name and a new locale make a template a translation, and remove it from others', async () => {
  const tenant = world.tenant()
  const named = await createTranslation(tenant, 'en')
  const other = await createTranslation(tenant, null, { name: 'Draft' })
  await tenant.patch(`/v1/communication/templates/${other}`, { name: 'Order', locale: 'de' }).expect(200)
  expect((await sentTo(tenant, named, 'de')).templateId).toBe(other)
  const { body } = await tenant.patch(`/v1/communication/templates/${other}`, { locale: null }).expect(200)
  expect(body).toMatchObject({ locale: null, version: 3 })
  expect((await sentTo(tenant, named, 'de')).templateId).toBe(named)
  const { body: versions } = await tenant.get(`/v1/communication/templates/${other}/versions`).expect(200)
  expect(versions.data.map(({ locale }: { locale: string | null }) => locale)).toEqual([null, 'de', null])
  const events = await tenant.events()
  expect(events.at(-1)).toMatchObject({ payload: { template: { id: other, locale: null } } })
})

test('variables are checked against the translation that is sent', async () => {
  const tenant = world.tenant()
  const named = await createTranslation(tenant, 'en')
  await createTranslation(tenant, 'de', { text: '{{name}} {{city}}', variables: [{ name: 'name' }, { name: 'city' }] })
  const send = (variables: object, locale: string) =>
    tenant.send({ template_id: named, variables, locale, subject: undefined, text: undefined })
  expect((await send({ name: 'Ada' }, 'de')).body.errors).toEqual([
    { pointer: '/variables/city', detail: 'is required' },
  ])
  expect((await send({ name: 'Ada', city: 'Graz' }, 'de')).status).toBe(202)
  expect((await send({ name: 'Ada', city: 'Graz' }, 'en')).body.errors[0].pointer).toBe('/variables/city')
})

const checkWith = (tenant: Tenant, templateId: string, changes: object = {}) =>
  world.inviteToPay().post(`/internal/tenants/${tenant.id}/templates/check`, {
    business_unit_id: tenant.unitId,
    communication_type: 'EMAIL',
    template_id: templateId,
    variables: { name: 'Ada', payment_url: 'https://pay.example.com/pay/abc' },
    required: ['payment_url'],
    ...changes,
  })

const invitation = {
  text: '{{name}}: {{payment_url}}',
  variables: [{ name: 'name' }, { name: 'payment_url' }, { name: 'items' }],
}

test('a template of invitations can be used only with each of its translations, and the problem names it', async () => {
  const tenant = world.tenant()
  const named = await createTranslation(tenant, 'en', invitation)
  await createTranslation(tenant, 'fr', invitation)
  expect((await checkWith(tenant, named)).status).toBe(204)
  const german = await createTranslation(tenant, 'de', {
    ...invitation,
    text: '{{name}}',
    variables: [{ name: 'name' }],
  })
  const lacking = await checkWith(tenant, named)
  expect([lacking.status, lacking.body.code]).toEqual([422, 'template_unusable'])
  const where = `(translation de, ${german})`
  expect(lacking.body.errors[0].detail).toBe(`must declare the variables payment_url ${where}`)
  const path = `/v1/communication/templates/${german}`
  await tenant.patch(path, { variables: [...invitation.variables, { name: 'city' }] }).expect(200)
  const missing = await checkWith(tenant, named)
  expect([missing.status, missing.body.errors]).toEqual([
    400,
    [{ pointer: '/variables/city', detail: `is required ${where}` }],
  ])
  await tenant.delete(path).expect(204)
  expect((await checkWith(tenant, named)).status).toBe(204)
})

test('the check renders the named template and the one for the language of the message, and no other', async () => {
  const tenant = world.tenant()
  const named = await createTranslation(tenant, 'en', invitation)
  const long = (locale: string) => createTranslation(tenant, locale, { ...invitation, subject: '{{name}}'.repeat(2) })
  const [german, french] = [await long('de'), await long('fr')]
  const variables = { name: 'a'.repeat(150), payment_url: 'https://pay.example.com/pay/abc' }
  const outcome = async (changes: object) => {
    const { status, body } = await checkWith(tenant, named, { variables, ...changes })
    return [status, body.errors?.[0]?.detail]
  }
  const detail = (locale: string, id: string) =>
    `make the subject longer than 200 characters (translation ${locale}, ${id})`
  expect(await outcome({})).toEqual([204, undefined])
  expect(await outcome({ locale: 'de-AT' })).toEqual([400, detail('de', german)])
  expect(await outcome({ locale: 'fr' })).toEqual([400, detail('fr', french)])
  const ofGermanUnit = { business_unit_id: tenant.addUnit({ default_locale: 'de' }) }
  expect(await outcome(ofGermanUnit)).toEqual([400, detail('de', german)])
  expect(await outcome({ ...ofGermanUnit, locale: 'en' })).toEqual([204, undefined])
})

test('a queued message has the language of the payer and its items, in a template of the tenant too', async () => {
  const tenant = world.tenant()
  const text = '{{items}}'
  const named = await createTranslation(tenant, null, { subject: 'S', text: 'named', variables: [] })
  await createTranslation(tenant, 'de', {
    ...{ subject: 'S', text, variables: [{ name: 'items' }] },
    html: '<p style="white-space:pre-line">{{items}}</p>',
  })
  const items = [
    { name: 'Kaffee <b>', quantity: 2, amount: '10,00 €' },
    { name: 'Filter', quantity: 1, amount: '1,00 €' },
  ]
  const queued = async (template: string, locale: string | null, variables = {}) => {
    const { body } = await world
      .inviteToPay()
      .post(`/internal/tenants/${tenant.id}/communications`, {
        ...{ message_id: randomUUID(), business_unit_id: tenant.unitId, communication_type: 'EMAIL' },
        ...{ recipient: 'payer@example.com', template, locale, variables, items },
      })
      .expect(202)
    const [row] = await world.rows<{ content: Record<'text' | 'html', string> }>(
      'SELECT content FROM communications WHERE id = $1::uuid',
      body.id,
    )
    return row?.content
  }
  const own = await queued(named, 'de-AT')
  expect(own?.text).toBe('2 × Kaffee <b>: 10,00 €\n1 × Filter: 1,00 €')
  expect(own?.html).toContain('pre-line">2 × Kaffee &lt;b&gt;: 10,00 €\n1 × Filter: 1,00 €</p>')
  expect((await queued(named, null))?.text).toBe('named')
  const builtIn = await queued('receipt', 'de', { amount: '11,00 €' })
  expect(builtIn?.text).toContain('Ihre Zahlung von 11,00 € erhalten.\n\n2 × Kaffee <b>: 10,00 €\n')
  expect(builtIn?.html).toContain('<html lang="de" dir="ltr">')
})

test('lists filter by locale, and built-in templates have none', async () => {
  const tenant = world.tenant()
  const german = await createTranslation(tenant, 'de')
  await createTranslation(tenant, 'de-AT')
  await createTranslation(tenant, null)
  const { body } = await tenant.get('/v1/communication/templates?locale=de').expect(200)
  expect(body.data.map(({ id, locale }: Record<string, string>) => [id, locale])).toEqual([[german, 'de']])
})

const templatesPath = '/v1/communication/templates'

test.each([
  ['a template', '/locale', (tenant: Tenant) => tenant.post(templatesPath, { ...order, locale: 'deutschland' })],
  ['a template', '/locale', (tenant: Tenant) => tenant.post(templatesPath, { ...order, locale: 'd' })],
  ['a template', '/locale', (tenant: Tenant) => tenant.post(templatesPath, { ...order, locale: '' })],
  ['a filter', '/query/locale', (tenant: Tenant) => tenant.get(`${templatesPath}?locale=d`)],
  ['a message', '/locale', (tenant: Tenant) => tenant.send({ locale: 'de--AT' })],
  ['a message without a template', '/locale', (tenant: Tenant) => tenant.send({ locale: 'de' })],
])('rejects a malformed locale of %s at %s, and changes nothing', async (_, pointer, call) => {
  const tenant = world.tenant()
  const rows = await readRows(world.database.ownerUrl, { tenantId: tenant.id })
  const before = await rows.digest()
  const { status, body } = await call(tenant)
  expect([status, body.code, body.errors.map((error: { pointer: string }) => error.pointer)]).toEqual([
    400,
    'invalid_request',
    [pointer],
  ])
  expect(await rows.digest()).toEqual(before)
  await rows.stop()
})

const order = { name: 'Order', communication_type: 'SMS', text: 'Hello' }

test('a malformed locale in a change of a template changes nothing', async () => {
  const tenant = world.tenant()
  const id = await createTranslation(tenant, 'de')
  const { status, body } = await tenant.patch(`${templatesPath}/${id}`, { locale: 'd' })
  expect([status, body.errors[0].pointer]).toEqual([400, '/locale'])
  expect((await tenant.get(`${templatesPath}/${id}`)).body).toMatchObject({ locale: 'de', version: 1 })
})

test('a preview has the template itself, and a built-in template in the language of the request or unit', async () => {
  const tenant = world.tenant()
  const german = tenant.addUnit({ default_locale: 'de' })
  const named = await createTranslation(tenant, 'en')
  await createTranslation(tenant, 'de')
  const preview = async (id: string, body: object) =>
    (await tenant.post(`${templatesPath}/${id}/preview`, body).expect(200)).body.text
  expect(await preview(named, { variables: { name: 'Ada' }, locale: 'de' })).toBe('en for Ada')
  const { body } = await tenant.get(`${templatesPath}?kind=built_in&communication_type=SMS`).expect(200)
  const { id } = body.data.find(({ name }: { name: string }) => name === 'receipt')
  const variables = { amount: '1,00 €' }
  expect(await preview(id, { variables, business_unit_id: german })).toMatch(/Vielen Dank\.$/)
  expect(await preview(id, { variables, business_unit_id: german, locale: 'fr' })).toMatch(/Merci\.$/)
  expect(await preview(id, { variables })).toMatch(/Thank you\.$/)
})
