import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'

/** One instruction on a page. */
interface Instruction {
  /** The key of its text. */
  readonly page: string
  /** Part of the text. */
  readonly advice: string
}

/** An instruction, and a test that follows it. */
export interface PageAdvice extends Instruction {
  readonly given: () => Promise<{
    /** HTML of the page with the text. */
    readonly shown: string
    /** Follows the instruction. Returns where that leads. */
    readonly advised: () => Promise<unknown>
    readonly leadsTo: unknown
  }>
}

/** An instruction that a test of another file follows. */
export interface PageAdviceElsewhere extends Instruction {
  /** Path from the root of the repository. */
  readonly file: string
  /** The title of the test. */
  readonly test: string
  /** Part of the key or the text of the page, which the test has too. Default: the key. */
  readonly shows?: string
}

const verbs =
  'accept|begin|check|choose|close|confirm|contact|continue|delete|enter|go|load|open|pay|please|request|return|sign|switch|try|use|verify|wait'
const imperative = new RegExp(`(?:^|[.;:,!?] )(?:or |and |then |but )?(?:${verbs})(?![\\w-])`, 'i')

const splitSentences = (text: string) => text.split(/(?<=[.!?])\s+/)

/** The text of HTML, in one line. */
export const plainText = (html: string) =>
  html
    .replaceAll(/<(style|script)[^]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')

/** A test to the beginning of the next one. Undefined without the test. */
const findBlock = (source: string, title: string) =>
  source.split(/^(?=(?:describe|test|it)\b)|^ {2}(?=(?:test|it)\b)/m).find((block) => block.includes(title))

/**
 * Each instruction on the pages is followed, and leads where it promises.
 *
 * @param texts - The text of each page, by its key.
 * @param withoutAdvice - The keys of texts that instruct no person.
 */
export function pageAdviceSuite(
  texts: ReadonlyMap<string, string>,
  advices: readonly PageAdvice[],
  elsewhere: readonly PageAdviceElsewhere[],
  withoutAdvice: readonly string[],
): void {
  if (advices.length > 0) {
    test.each(advices)('$page: $advice', async ({ advice, given }) => {
      const { shown, advised, leadsTo } = await given()
      expect(plainText(shown)).toContain(advice)
      expect(await advised()).toEqual(leadsTo)
    })
  }

  const followed: readonly Instruction[] = [...advices, ...elsewhere]

  test('each text of a page has its instructions in the list, or is listed without one', () => {
    const listed = new Set([...followed.map(({ page }) => page), ...withoutAdvice])
    expect([...texts.keys()].filter((page) => !listed.has(page))).toEqual([])
    expect([...listed].filter((page) => !texts.has(page))).toEqual([])
    expect(followed.filter(({ page, advice }) => !texts.get(page)?.includes(advice))).toEqual([])
    const advising = [...texts].flatMap(([page, text]) =>
      splitSentences(text).flatMap((sentence) => (imperative.test(sentence) ? [{ page, sentence }] : [])),
    )
    const isFollowed = ({ page, sentence }: (typeof advising)[number]) =>
      followed.some((one) => one.page === page && (sentence.includes(one.advice) || one.advice.includes(sentence)))
    expect(advising.filter((one) => !isFollowed(one))).toEqual([])
  })

  test('each test that is named for an instruction exists, and has the page', () => {
    const unnamed = elsewhere.filter(({ page, file, test: title, shows = page }) => {
      const block = findBlock(readFileSync(join(root, file), 'utf8'), title)
      return !block?.includes(shows) || !`${page} ${texts.get(page)}`.includes(shows)
    })
    expect(unnamed).toEqual([])
  })
}
