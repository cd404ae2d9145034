/** Decision 0236: what a repeated response shows another credential, of each operation whose response has a secret. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import { root } from '@payments/devkit/machine/profile'
import { z } from 'zod'

interface ShownIn {
  readonly file: string
  /** The title of the test. */
  readonly test: string
}

const masked = {
  subscription: {
    file: 'services/webhooks/test/create-subscription.test.ts',
    test: 'one subscription per Idempotency-Key',
  },
  rotation: {
    file: 'services/webhooks/test/rotate-subscription-secret.test.ts',
    test: 'rotates once per Idempotency-Key',
  },
  authInfo: {
    file: 'services/webhooks/test/create-auth-info.test.ts',
    test: 'creates one auth info per Idempotency-Key',
  },
} as const
const payment = {
  file: 'services/payment-proxy/test/action-required.test.ts',
  test: 'a repeated response has the address of the bank',
} as const

/** By operation and member. */
const secrets: Readonly<Record<string, ShownIn>> = {
  'createKey value': {
    file: 'services/api-key/test/create-key.test.ts',
    test: 'does not show the value to another caller',
  },
  'rotateKey value': { file: 'services/api-key/test/rotate-key.test.ts', test: 'one grace period and one caller' },
  'createSubscription secret': masked.subscription,
  'rotateSubscriptionSecret secret': masked.rotation,
  'createAuthInfo password': masked.authInfo,
  'createAuthInfo value': masked.authInfo,
  'createAuthInfo client_secret': masked.authInfo,
  'createCode url': {
    file: 'services/invite-to-pay/test/create-code.test.ts',
    test: 'for its first actor and for a credential that may reveal it only',
  },
  'createTransaction url': payment,
  'createAndAuthorizeTransaction url': payment,
  'completeTransaction url': payment,
  'captureTransaction url': payment,
  'voidTransaction url': payment,
  'refundTransaction url': payment,
  'resendInvitation url': {
    file: 'services/payment-proxy/test/resend-invitation.test.ts',
    test: 'alone without transaction:ReadTransaction, also in a repeated response',
  },
}

/** Names of members that can be a secret, or a link whose holder can act. */
const secretName = /(^|_)(credentials?|key|link|password|secret|token|url|value)$/

/** Addresses that tenants give, which their reads show. */
const given = new Set([
  ...['destination_url', 'gateway_url', 'iframe_url', 'logo_url', 'return_url', 'token_url', 'tokenizer_url'],
])

/** The names of the members of a JSON Schema that may have a value. */
function memberNames(node: unknown, names = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return names
  if ('properties' in node) {
    for (const [name, schema] of Object.entries(node.properties as Record<string, { type?: string }>)) {
      if (schema.type !== 'null') names.add(name)
    }
  }
  for (const value of Object.values(node)) memberNames(value, names)
  return names
}

const found = contracts.flatMap(({ endpoints }) =>
  Object.entries(endpoints).flatMap(([operation, { idempotent, replies }]) => {
    const schemas =
      idempotent === true ? Object.values(replies ?? {}).filter((reply) => reply instanceof z.ZodType) : []
    const names = schemas.flatMap((schema) => [
      ...memberNames(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })),
    ])
    return [...new Set(names)].filter((name) => secretName.test(name)).map((name) => ({ operation, name }))
  }),
)

test('each secret of a stored response has a test of what another credential gets', () => {
  const expected = found.filter(({ name }) => !given.has(name)).map(({ operation, name }) => `${operation} ${name}`)
  expect(Object.keys(secrets).sort()).toEqual(expected.sort())
  expect([...given].filter((name) => !found.some((one) => one.name === name))).toEqual([])
})

test.each(Object.entries(secrets))('%s: the test exists, and has another credential', (_, { file, test: title }) => {
  const source = readFileSync(join(root, file), 'utf8')
  const block = source.split(/^ *(?=(?:test|it)\()/m).find((part) => part.includes(title))
  expect(block).toMatch(/\bby\(|asTenant\(/)
})
