import { describe, expect, test } from '@jest/globals'
import { contracts } from '../src/edges/contracts.ts'

const examples = contracts.flatMap(({ events }) =>
  Object.entries(events).flatMap(([type, { payload, example }]) =>
    example === undefined ? [] : [{ type, payload, example }],
  ),
)

describe('the example of an event', () => {
  test.each(examples)('$type is its payload', ({ payload, example }) => {
    expect(payload.parse(example)).toEqual(example)
  })

  test('exists for each payment event', () => {
    const types = examples.map(({ type }) => type).filter((type) => type.startsWith('payment-proxy.'))
    expect(types).toHaveLength(12)
  })
})
