import { expect, test } from '@jest/globals'
import { parsePhoneNumber, recipientPattern, recipientQuery } from '../src/nouns/communication-text.ts'
import { invitationInput } from '../src/nouns/invitation.ts'
import { payerRecipient } from '../src/nouns/payer-erasure.ts'
import { communicationContract } from '../src/services/communication/contract.ts'

const { body } = communicationContract.endpoints.sendCommunication
const business_unit_id = '01890a5d-ac96-774b-bcce-b302099a8057'

test.each([
  ['+4930123456', '+4930123456'],
  ['+49 30 123456', '+4930123456'],
  [' +49.30-12 34 56 ', '+4930123456'],
  ['0049 30 123456', '+4930123456'],
  ['00 49 30 123456', '+4930123456'],
  ['+49 (0)30 123456', '+4930123456'],
  ['+49\u00a030\u2011123456', '+4930123456'],
  ['+1 (415) 555-2671', '+14155552671'],
  ['+39 (0)6 123456', '+3906123456'],
  ['+49-(0)30-123456', '+4930123456'],
  ['(+49) (0)30 123456', '+4930123456'],
  ['+49.(0)30.123456', '+4930123456'],
  ['+44 - (0)20 7946 0000', '+442079460000'],
  ['0049 (0) 30 123456', '+4930123456'],
  ['+36 (06) 1 2345678', '+3612345678'],
  ['+39-(0)6-12345678', '+390612345678'],
  ['00 39 (0)321 123456', '+390321123456'],
])('the phone number %j is stored as %s', (written, number) => {
  const sms = { communication_type: 'SMS', recipient: written }
  expect(body.parse({ business_unit_id, text: 'x', ...sms }).recipient).toBe(number)
  expect(invitationInput.parse(sms).recipient).toBe(number)
  expect(payerRecipient.parse(written)).toBe(number)
  expect(written).toMatch(new RegExp(recipientPattern))
})

test.each([
  '030 123456',
  '4930123456',
  '(415) 555-2671',
  '011 49 30 123456',
  '+49',
  '+49 30 123456 ext. 7',
  '+49 30 123456/7',
  '+49 30 1234567890123',
  '++49 30 123456',
  '+0049 30 123456',
])('%j can be read in more than one way, and the error names the country code', (written) => {
  expect(parsePhoneNumber(written)).toBeUndefined()
  const { error } = invitationInput.safeParse({ communication_type: 'SMS', recipient: written })
  expect(error?.issues).toMatchObject([
    { path: ['recipient'], message: expect.stringContaining('with its country code, such as +49 30 123456') },
  ])
})

test('a phone number in any spelling is no recipient of an email', () => {
  expect(invitationInput.safeParse({ communication_type: 'EMAIL', recipient: '+49 30 123456' }).success).toBe(false)
})

test.each([
  ['recipient=+491701234567', '+491701234567'],
  ['recipient=%2B491701234567', '+491701234567'],
  ['recipient=+49+170+1234567', '+491701234567'],
  ['recipient=00491701234567', '+491701234567'],
  ['recipient=ada+orders@example.com', 'ada+orders@example.com'],
  ['recipient=ada%2Borders@example.com', 'ada+orders@example.com'],
  ['recipient=030+123456', '030 123456'],
])('the query %s selects the recipient %s', (query, recipient) => {
  expect(recipientQuery.parse(new URLSearchParams(query).get('recipient'))).toBe(recipient)
})
