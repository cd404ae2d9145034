/**
 * The HTML of built-in mails. It sets no color of text or background except on the button and behind the logo, so a
 * mail program shows its own, light or dark. Values are variables: `render` escapes them.
 */

import { toFormatLocale } from '@payments/contracts/nouns/locale'

interface Frame {
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
  readonly title: string
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5"
const line = '1px solid rgba(128,128,128,0.4)'
const cell = `padding:8px 4px;border-top:${line};vertical-align:top`
const startCell = `${cell};text-align:start;font-weight:normal`
const endCell = `${cell};text-align:end`

export function mailHtml({ locale, direction, title }: Frame, blocks: readonly string[]): string {
  // Many mail programs drop <html> and <body>, so the first element repeats their attributes.
  const language = `lang="${toFormatLocale(locale)}" dir="${direction}"`
  return [
    '<!doctype html>',
    `<html ${language}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${title}</title></head>`,
    '<body style="margin:0;padding:0">',
    `<div ${language} style="${font};max-width:560px;margin:0 auto;padding:24px 16px;overflow-wrap:break-word;word-break:break-word">`,
    ...blocks,
    '</div>',
    '</body></html>',
  ].join('\n')
}

export const paragraph = (text: string) => `<p style="margin:16px 0">${text}</p>`

export const note = (text: string) => `<p style="margin:24px 0 0;font-size:14px">${text}</p>`

export const lines = (text: string) => `<p style="margin:16px 0;white-space:pre-line">${text}</p>`

export const link = (url: string, text: string) => `<a href="${url}">${text}</a>`

/** In the colors of the merchant, with an edge that is visible on light and on dark. */
export function button(url: string, label: string): string {
  const colors = 'background:{{primary_color}};color:{{button_text_color}};border:1px solid {{button_edge_color}}'
  const box = 'display:inline-block;padding:12px 24px;border-radius:6px;font-weight:600;text-decoration:none'
  return `<p style="margin:24px 0"><a href="${url}" style="${box};${colors}">${label}</a></p>`
}

/** A stripe in the color of the merchant. */
export const stripe = '<div style="height:4px;background:{{primary_color}}"></div>'

/** On white with dark text, as a logo or its name in its place may be dark on nothing. */
export function logo(url: string, name: string): string {
  const size = 'display:block;max-width:200px;max-height:64px;height:auto'
  return `<p style="margin:16px 0"><img src="${url}" alt="${name}" style="${size};padding:8px;border-radius:6px;background:#ffffff;color:#1f2933"></p>`
}

/** Its direction follows its text alone, and turns no text around it. */
const isolate = (text: string) => `<span dir="auto">${text}</span>`

/** Labels of the platform beside their values. */
export const facts = (rows: readonly (readonly [string, string])[]) =>
  table(rows.map(([label, value]) => row({ text: label, style: whole }, { text: value, style: breakable })))

/** Items beside their sums. An item without a sum has the row alone. */
export const items = (rows: readonly (readonly [string, string | null])[]) =>
  table(
    rows.map(([name, sum]) =>
      sum === null
        ? `<tr><td colspan="2" style="${startCell}">${name}</td></tr>`
        : row({ text: name, style: breakable }, { text: sum, style: atSpaces }),
    ),
  )

/** A value of a caller may be one long word. */
const breakable = ';overflow-wrap:anywhere;word-break:break-word'
const atSpaces = ';overflow-wrap:normal;word-break:normal'
const whole = ';white-space:nowrap'

interface Cell {
  readonly text: string
  readonly style: string
}

const row = (start: Cell, end: Cell) =>
  `<tr><th scope="row" style="${startCell}${start.style}">${isolate(start.text)}</th><td style="${endCell}${end.style}">${isolate(end.text)}</td></tr>`

const table = (rows: readonly string[]) =>
  ['<table width="100%" style="margin:16px 0;border-collapse:collapse">', ...rows, '</table>'].join('\n')
