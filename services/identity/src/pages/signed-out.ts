import { html } from '@payments/chassis/base/html'
import type { Page } from './page.ts'
import { pathToSignIn } from './paths.ts'

export const signedOutPage = (): Page => ({
  status: 200,
  title: 'You are signed out',
  main: html`<p>Your session of this browser has ended. At your sign-in provider, you may still be signed in.</p>
<p class="action"><a class="button" href="${pathToSignIn({})}">Sign in again</a></p>`,
})
