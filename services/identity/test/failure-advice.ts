import { type PageAdvice, pageAdviceSuite, plainText } from '@payments/testing/suites/page-advice'
import type { SignInFailure } from '../src/domain/sign-in-failure.ts'
import { failurePage } from '../src/pages/failure.ts'

/** The failures of people whose access depends on their organization or invitation. */
export type AccessFailure = Extract<
  SignInFailure,
  | 'email_domain'
  | 'not_invited'
  | 'disabled'
  | 'not_claimed'
  | 'too_many_users'
  | 'provider_not_for_tenant'
  | 'tenant_suspended'
  | 'not_a_member'
  | `invitation_${string}`
>

type Advice = Omit<PageAdvice, 'page'>
interface Followed {
  readonly page: { readonly text: string }
  readonly advised: () => Promise<unknown>
  /** Default: the console. */
  readonly leadsTo?: unknown
}

export const advice = (instruction: string, given: () => Promise<Followed>): Advice => ({
  advice: instruction,
  given: async () => {
    const { page, advised, leadsTo = '/console' } = await given()
    return { shown: page.text, advised, leadsTo }
  },
})

export type AdvicesByFailure<F extends SignInFailure> = Readonly<Record<F, readonly Advice[]>>

/** The text of the page of a failure, without its button. */
const readText = (failure: SignInFailure) => {
  const { title, main } = failurePage(failure, {})
  return plainText(`${title}. ${main.text.split('<p class="action">')[0]}`)
}

/** The instructions of the pages of failures are followed. An empty list: the page has none. */
export function failureAdviceSuite(advices: Partial<AdvicesByFailure<SignInFailure>>): void {
  const all = Object.entries(advices)
  pageAdviceSuite(
    new Map(all.map(([failure]) => [failure, readText(failure as SignInFailure)])),
    all.flatMap(([page, given]) => given.map((one) => ({ page, ...one }))),
    [],
    all.filter(([, given]) => given.length === 0).map(([failure]) => failure),
  )
}
