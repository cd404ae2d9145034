/** @slow It measures slow functions with every hostile text. */
import { expect, test } from '@jest/globals'
import { Problem } from '@payments/contracts/grammar/problem'
import { hostileTexts } from '@payments/testing/generators/hostile-text'
import { slowWorks } from '@payments/testing/runner/held-time'
import { render } from '../src/domain/render.ts'

const variables = ['a', 'b'].map((name) => ({ name, required: false, description: null }))
const template = {
  subject: 'Order {{a}}',
  text: '{{a}} {{b}}',
  html: '<p title="{{a}}" style="color: {{b}}">{{a}} {{b}}</p><a href="https://example.com/{{a}}">{{b}}</a>',
  variables: variables as never,
}

/** Rendered, or rejected as input. */
const tryToRun = (work: () => unknown) => async () => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(Problem)
  }
}

test('no value of a variable holds the event loop for long', async () => {
  const works = hostileTexts(10_000).flatMap(([what, text]) => [
    [`${what} in each value`, tryToRun(() => render('EMAIL', template, { a: text, b: text }))] as const,
    [`${what} in one value`, tryToRun(() => render('EMAIL', template, { a: text.slice(0, 100), b: 'red' }))] as const,
  ])
  expect(await slowWorks(works)).toEqual([])
})

test('no template holds the event loop for long while it is rendered', async () => {
  const works = hostileTexts(30_000).flatMap(([what, text]) =>
    (['subject', 'text'] as const).map((part) => {
      return [`${what} in ${part}`, tryToRun(() => render('EMAIL', { ...template, [part]: text }, { a: 'x' }))] as const
    }),
  )
  expect(await slowWorks(works)).toEqual([])
})
