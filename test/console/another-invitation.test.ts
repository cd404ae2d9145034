/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withClient } from '@payments/devkit/servers/databases'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** Another invitation for a transaction whose invitation has ended. */
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

test('after the cancellation of its invitation, a transaction is paid by another one', async () => {
  const { page } = ada
  const { body: code } = await world.call('POST', '/v1/invite-to-pay/codes', {
    transaction: { business_unit_id: world.tenant.business_unit_id, currency: 'EUR', amount: 2_500, transaction: {} },
    communication_type: 'EMAIL',
    recipient: 'wrong@invitations.example',
  })
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${code.transaction_id}`)
  await page.getByRole('button', { name: 'Void', exact: true }).waitFor()
  const invite = page.getByRole('button', { name: 'Invite to pay' })
  expect(await invite.count()).toBe(0)
  expect((await world.call('POST', `/v1/invite-to-pay/codes/${code.id}/cancel`)).status).toBe(200)
  await page.reload()
  await invite.click()
  await page.getByLabel('Email address').fill('right@invitations.example')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('Invited right@invitations.example to pay 25.00 EUR.').waitFor()
  const { body } = await world.call('GET', `/v1/invite-to-pay/codes?transaction_id=${code.transaction_id}`)
  expect(body.data.map(({ status }: { status: string }) => status)).toEqual(['active', 'canceled'])
}, 240_000)

test('an expired invitation is sent again, unless its transaction has a newer one', async () => {
  const { page } = ada
  const invite = async (transaction: object, recipient: string) => {
    const body = { ...transaction, communication_type: 'EMAIL', recipient }
    return (await world.call('POST', '/v1/invite-to-pay/codes', body)).body
  }
  const unit = world.tenant.business_unit_id
  const old = await invite({ transaction: { business_unit_id: unit, currency: 'EUR', amount: 900 } }, 'old@x.example')
  await withClient(world.platform.databases['invite-to-pay'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const earlier = `created_at = created_at - interval '8 days', invited_at = invited_at - interval '8 days'`
    await owner.query(`UPDATE codes SET ${earlier}, expires_at = now() - interval '1 minute' WHERE id = $1`, [old.id])
  })
  const open = async () => {
    await page.goto(`${world.platform.gatewayUrl}/console/invitations/${old.id}`)
    await page.getByText('expired', { exact: true }).first().waitFor()
    return page.getByRole('button', { name: 'Send again' })
  }
  await (await open()).waitFor()
  await invite({ transaction_id: old.transaction_id }, 'new@x.example')
  const button = await open()
  await page.getByRole('region', { name: 'Time line' }).waitFor()
  await button.waitFor({ state: 'detached' })
  expect(await button.count()).toBe(0)
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})
