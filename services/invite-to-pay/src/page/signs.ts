import { type Html, html } from '@payments/chassis/base/html'

/** Drawings beside text that says the same. */
const drawing = (kind: string, path: Html) => html`<svg class="${kind}" viewBox="0 0 24 24" fill="none"
stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`

const circle = html`<circle cx="12" cy="12" r="10"/>`

export const check = () => drawing('sign', html`${circle}<path d="m7.5 12.5 3 3 6-6.5"/>`)
export const clock = () => drawing('sign still', html`${circle}<path d="M12 6.5V12l3.5 2"/>`)
export const dash = () => drawing('sign still', html`${circle}<path d="M8 12h8"/>`)
export const ring = () => drawing('sign spinner', html`<path d="M12 2a10 10 0 1 0 10 10"/>`)
export const globe = () => drawing('globe', html`${circle}<path d="M2 12h20M12 2a15 15 0 0 1 0 20a15 15 0 0 1 0-20"/>`)
export const lock = () =>
  drawing('', html`<rect x="4" y="11" width="16" height="10" rx="2"/><path d="M8 11V7a4 4 0 0 1 8 0v4"/>`)
export const shield = () =>
  drawing(
    'sign still',
    html`<path d="M12 2.5 4 5.5v6c0 5 3.4 8.4 8 10 4.6-1.6 8-5 8-10v-6z"/><path d="m8.5 12 2.5 2.5 4.5-5"/>`,
  )
