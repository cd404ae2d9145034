import fc from 'fast-check'

/** The commands of a history. `on` chooses the transaction, `of` the operation, `earlier` the Idempotency-Key. */
const tokens = [
  ...['visa', 'visa', 'visa', 'declined', 'unreachable', 'pending', 'timeout_applied', 'timeout_not_applied'],
  ...['unknown_forever', 'amount_mismatch', 'expires_in_60', 'void_declined', 'capture_declined'],
  ...['capture_timeout_applied', 'capture_timeout_not_applied', 'refund_declined', 'refund_timeout_applied'],
  ...['refund_timeout_not_applied', 'refund_fails_later', 'challenge', 'challenge', 'challenge_declined'],
  ...['challenge_slow_30', 'challenge_abandoned'],
]

/** Mostly a part, so that a history has several captures and refunds. Absent: all that is left. */
const amount = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 10_001 }) },
  { weight: 2, arbitrary: fc.constant(undefined) },
)
const is = <const T extends string>(value: T) => fc.constant(value)
const choice = fc.nat(5)

/** The items of a transaction that has some. A refund may name the cups, which are a part of the amount. */
export const total = 10_000
export const cups = { id: 'cup', name: 'Cup', unit_amount: 1_000, quantity: 4 }
export const pot = { name: 'Pot', unit_amount: 6_000, quantity: 1 }
const items = fc.integer({ min: 1, max: 3 }).map((quantity) => [{ id: cups.id, quantity }])
/** Seldom a reference, which several transactions want. */
const reference = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('order-1', 'order-2') },
)
const order = { reference, hasItems: fc.boolean(), capture: fc.boolean() }
const token = fc.constantFrom(...tokens)

const isFinal = fc.integer({ min: 1, max: 8 }).map((one) => one === 1)

const birth = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: is('create'), ...order }) },
  { weight: 4, arbitrary: fc.record({ do: is('authorize'), token, ...order }) },
)
const change = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: is('complete'), on: choice, token, capture: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: is('capture'), on: choice, body: fc.record({ amount, final_capture: isFinal }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: is('refund'), on: choice, body: fc.oneof(fc.record({ amount }), fc.record({ items })) }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('void'), on: choice, body: fc.constant({}) }) },
)
const move = fc.oneof({ weight: 1, arbitrary: birth }, { weight: 3, arbitrary: change })
const moment = fc.constantFrom('before' as const, 'after' as const)

const command = fc.oneof(
  { weight: 10, arbitrary: fc.record({ how: is('send'), move, hasKey: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ how: is('send twice'), move }) },
  { weight: 3, arbitrary: fc.record({ how: is('send again'), earlier: choice }) },
  {
    weight: 2,
    arbitrary: fc.record({ how: is('send at once'), moves: fc.array(move, { minLength: 2, maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ how: is('send three at once with one key'), move }) },
  { weight: 3, arbitrary: fc.record({ how: is('send and crash'), moment, move }) },
  { weight: 1, arbitrary: fc.record({ how: is('send, reported first'), isById: fc.boolean(), move }) },
  { weight: 2, arbitrary: fc.record({ how: is('sync'), on: choice }) },
  {
    weight: 4,
    arbitrary: fc.record({
      how: is('report'),
      what: fc.constantFrom('outcome', 'outcome twice', 'other amount', 'opposite', 'unknown operation', 'action'),
      of: choice,
      isById: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      how: is('decide at the bank'),
      of: choice,
      decision: fc.constantFrom('confirm' as const, 'confirm' as const, 'decline' as const),
      also: fc.constantFrom('nothing', 'void', 'sync', 'sweep'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ how: is('sweep'), afterMs: fc.constantFrom(60_000, 1_801_000, 3_601_000) }) },
  { weight: 1, arbitrary: fc.record({ how: is('sweep and crash'), moment }) },
  { weight: 1, arbitrary: fc.record({ how: is('sweep three times at once') }) },
  { weight: 1, arbitrary: fc.record({ how: is('expire'), afterMs: fc.constantFrom(120_000, 691_200_000) }) },
  { weight: 1, arbitrary: fc.record({ how: is('resolve'), of: choice, outcome: choice }) },
)

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never
export type Move = ValueOf<typeof move>
export type Command = ValueOf<typeof command>

/** 1 to `commandsMax` commands. The first makes a transaction. */
export const histories = (commandsMax: number): fc.Arbitrary<Command[]> =>
  fc
    .tuple(birth, fc.array(command, { maxLength: commandsMax - 1, size: 'max' }))
    .map(([first, rest]) => [{ how: 'send', move: first, hasKey: false }, ...rest])
