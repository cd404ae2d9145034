import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { ProblemDefinitions } from '@payments/contracts/grammar/problem'
import { root } from '@payments/devkit/machine/profile'
import type { Response } from 'supertest'
import { outcome } from '../calls/caller.ts'

type Reply = Pick<Response, 'status' | 'body'>

/** One instruction in the explanation of a problem, and a test that follows it. */
export interface Advice {
  readonly problem: string
  readonly advice: string
  readonly given: () => Promise<{
    /** The request that has the problem. */
    readonly rejected: () => PromiseLike<Reply>
    /** Follows the advice. Gets the problem, whose members may be part of the advice. */
    readonly advised: (problem: Reply['body']) => PromiseLike<Reply>
  }>
}

const verbs =
  'attach|cancel|change|check|choose|complete|contact|correct|create|delete|detach|enable|exchange|give|invite|make|open|percent-encode|read|recover|remove|repeat|replace|restart|reveal|rotate|send|set|use|wait'
/** A sentence or clause that begins with one of the verbs. */
const imperative = new RegExp(`(?:^|[.;:,] )(?:or |and |then )?(?:${verbs})\\b`, 'i')

/** The operators of a service follow these. */
const ofEveryService = {
  other_key_current: 'packages/testing/src/suites/secrets.ts',
  since_in_the_future: 'packages/testing/src/suites/secrets.ts',
}

/**
 * The advice in the explanation of each problem is followed, and ends the problem.
 *
 * @param elsewhere - Problems whose advice the tests of another file follow, with the path of the file.
 */
export function adviceSuite(
  problems: ProblemDefinitions,
  advices: readonly Advice[],
  elsewhere: Readonly<Record<string, string>> = {},
): void {
  test.each(advices)('$problem: $advice', async ({ problem, given }) => {
    const { rejected, advised } = await given()
    const reply = await rejected()
    expect(outcome(reply)).toEqual([problems[problem]?.status, problem])
    expect([200, 201, 202, 204]).toContain((await advised(reply.body)).status)
  })

  test('the advice of each problem is followed here, or in the file that is named for the problem', () => {
    const files: Readonly<Record<string, string>> = { ...ofEveryService, ...elsewhere }
    const followed = new Set([...advices.map(({ problem }) => problem), ...Object.keys(files)])
    const advising = Object.values(problems).filter(({ explanation }) => imperative.test(explanation))
    expect(advising.map(({ code }) => code).filter((code) => !followed.has(code))).toEqual([])
    const unnamed = Object.entries(elsewhere).filter(
      ([code, file]) => !readFileSync(join(root, file), 'utf8').includes(code),
    )
    expect(unnamed).toEqual([])
  })
}
