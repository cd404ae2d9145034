import { expect, it } from '@jest/globals'
import { renderPayPage } from '../services/invite-to-pay/src/page/render.ts'
import { activePage } from '../services/invite-to-pay/test/pay-pages.ts'
import { findTestCard } from '../services/payment-proxy/src/connectors/sandbox-token.ts'

it('every test card of the pay page is one of the sandbox', () => {
  const tokens = [...renderPayPage(activePage).html.matchAll(/name="cc_token" value="([^"]+)"/g)]
  expect(tokens.length).toBeGreaterThan(15)
  expect(tokens.map(([, token = '']) => token).filter((token) => findTestCard(token) === undefined)).toEqual([])
})
