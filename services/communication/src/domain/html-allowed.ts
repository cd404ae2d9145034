/** The HTML that a message may have: what mail programs show, and nothing that acts. */

export const allowedElements = [
  ...['html', 'head', 'title', 'meta', 'body'],
  ...['div', 'span', 'p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'center', 'blockquote', 'pre', 'address'],
  ...['header', 'footer', 'main', 'section', 'article', 'figure', 'figcaption'],
  ...['a', 'img', 'b', 'strong', 'i', 'em', 'u', 's', 'small', 'big', 'sub', 'sup', 'code', 'font', 'abbr', 'mark'],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
]

const tableAttributes = ['width', 'height', 'align', 'valign', 'bgcolor', 'border', 'cellpadding', 'cellspacing']

export const allowedAttributes = {
  '*': ['style', 'class', 'id', 'dir', 'lang', 'title', 'role', 'aria-*', 'align'],
  html: ['xmlns'],
  meta: ['charset', 'name', 'content', 'http-equiv'],
  body: ['bgcolor', 'text', 'link', 'vlink', 'alink'],
  a: ['href', 'name', 'target', 'rel'],
  img: ['src', 'alt', 'width', 'height', 'border', 'hspace', 'vspace'],
  font: ['color', 'face', 'size'],
  hr: ['width', 'size', 'color', 'noshade'],
  ol: ['start', 'type'],
  ul: ['type'],
  li: ['value', 'type'],
  table: [...tableAttributes, 'summary'],
  ...Object.fromEntries(['thead', 'tbody', 'tfoot', 'tr', 'colgroup', 'col'].map((name) => [name, tableAttributes])),
  ...Object.fromEntries(
    ['th', 'td'].map((name) => [name, [...tableAttributes, 'colspan', 'rowspan', 'nowrap', 'scope']]),
  ),
}

/** Values of `http-equiv`: a character set, and neither a cookie nor an address. */
export const allowedPragmas = ['Content-Type', 'content-type', 'X-UA-Compatible', 'x-ua-compatible']

/** How an address may begin, by element. */
export const allowedSchemes: Readonly<Record<string, readonly string[]>> = {
  a: ['https', 'http', 'mailto', 'tel'],
  img: ['https', 'cid'],
}

/** Undefined for an element without addresses, also for `constructor`, a name that objects inherit. */
export const findSchemes = (element: string): readonly string[] | undefined =>
  Object.hasOwn(allowedSchemes, element) ? allowedSchemes[element] : undefined

const sides = ['top', 'right', 'bottom', 'left']
const boxes = ['margin', 'padding', 'border'].flatMap((name) => [name, ...sides.map((side) => `${name}-${side}`)])
const borders = ['color', 'style', 'width'].flatMap((name) => [
  `border-${name}`,
  ...sides.map((side) => `border-${side}-${name}`),
])
const corners = ['top-left', 'top-right', 'bottom-left', 'bottom-right'].map((corner) => `border-${corner}-radius`)

const styleProperties = [
  ...['color', 'background', 'background-color', 'opacity', 'display', 'visibility', 'overflow', 'direction'],
  ...['font', 'font-family', 'font-size', 'font-style', 'font-weight', 'font-variant', 'line-height'],
  ...['letter-spacing', 'word-spacing', 'word-break', 'word-wrap', 'overflow-wrap', 'white-space', 'vertical-align'],
  ...['text-align', 'text-decoration', 'text-indent', 'text-transform', 'text-overflow', 'text-size-adjust'],
  ...['width', 'min-width', 'max-width', 'height', 'min-height', 'max-height', 'box-sizing', 'float', 'clear'],
  ...[...boxes, ...borders, ...corners, 'border-radius', 'border-collapse', 'border-spacing', 'outline'],
  ...['table-layout', 'caption-side', 'empty-cells', 'list-style', 'list-style-type', 'list-style-position'],
  ...['-webkit-text-size-adjust', '-ms-text-size-adjust', '-ms-interpolation-mode', '-webkit-font-smoothing'],
  ...['mso-table-lspace', 'mso-table-rspace', 'mso-line-height-rule', 'mso-padding-alt', 'mso-hide'],
]

const allowedProperties = new Set(styleProperties)

/**
 * Without a function except for colors, so without `url()`; without an escape, an at-rule or a second declaration. Each
 * character begins one alternative that can match it to its end, so a match takes linear time.
 */
export const styleValue = /^(?:[\w#%.,\s!+/-]|"[\w#%.,\s'!+/-]*"|'[\w#%.,\s"!+/-]*'|(?:rgb|hsl)a?\([\d\s.,%/]+\))+$/i

/** The declarations of a `style` that are allowed, as they were written. Empty for none. */
export function allowedDeclarations(style: string): string {
  const declarations = style.split(';').map((written) => written.trim())
  return declarations.filter(isAllowedDeclaration).join(';')
}

function isAllowedDeclaration(declaration: string): boolean {
  const colon = declaration.indexOf(':')
  if (colon === -1 || !allowedProperties.has(declaration.slice(0, colon).trim().toLowerCase())) return false
  return styleValue.test(declaration.slice(colon + 1))
}

/** Names of the properties of a `style`, in order, cut. */
export const listProperties = (style: string): string[] =>
  style.split(';').flatMap((declaration) => {
    const [name = ''] = declaration.split(':', 1)
    return name.trim() === '' ? [] : [name.trim().slice(0, 60)]
  })
