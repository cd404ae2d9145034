import { type Html, html } from '@payments/chassis/base/html'
import { explainedDeclines, type PayPageTexts } from '@payments/texts/texts'
import type { Notice } from './model.ts'

/** The title of a notice, and its paragraphs. */
export function noticeContent(notice: Notice, texts: PayPageTexts): { title: string; paragraphs: string[] } {
  if (notice.kind !== 'declined') {
    const { title, text } = texts.notices[notice.kind]
    return { title, paragraphs: [text] }
  }
  const reason = explainedDeclines.find((one) => one === notice.declineCode) ?? 'other'
  const text = texts.declines[reason]
  // No decline: the payer chose to pay in another way, or the merchant canceled.
  if (reason === 'authentication_canceled') return { title: texts.notCharged, paragraphs: [text] }
  return { title: texts.declined, paragraphs: [text, texts.notCharged] }
}

export function noticeBox(notice: Notice, texts: PayPageTexts): Html {
  const { title, paragraphs } = noticeContent(notice, texts)
  const kind = notice.kind === 'busy' ? html`class="notice" role="status"` : html`class="notice alert" role="alert"`
  return html`<div ${kind}><p><strong>${title}</strong></p>${paragraphs.map((text) => html`<p>${text}</p>`)}</div>`
}
