import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html, verbatim } from '@payments/chassis/base/html'
import { Marked, Renderer, type RendererObject } from 'marked'
import { layout } from './layout.ts'
import { code as codeHtml, highlight } from './prose.ts'

const directory = join(import.meta.dirname, '..', '..', '..', 'docs', 'guide')

export interface Guide {
  readonly path: string
  readonly title: string
  readonly markdown: string
  readonly content: string
  readonly headings: readonly Heading[]
}

interface Heading {
  readonly id: string
  readonly text: string
}

/** The guides. The index, README.md, links to each guide, in the order of the navigation. */
export function readGuides(): Guide[] {
  const index = readGuide('README.md')
  const linked = [...readFileSync(join(directory, 'README.md'), 'utf8').matchAll(/\]\(([\w-]+\.md)\)/g)]
  const names = [...new Set(linked.map(([, name]) => String(name)))]
  const unlinked = readdirSync(directory).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !names.includes(name),
  )
  if (unlinked.length > 0) throw new Error(`the index of the guides does not link to ${unlinked.join(', ')}`)
  return [index, ...names.map(readGuide)]
}

/** The guides as pages, by path. */
export function guidePages(guides: readonly Guide[]): Map<string, string> {
  const [index] = guides
  return new Map(
    guides.map(({ path, title, content }) => {
      const navigation = guides.map((guide) => ({
        href: guide.path,
        text: guide === index ? 'Overview' : guide.title,
        ...(guide.path === path && guide !== index
          ? { below: guide.headings.map(({ id, text }) => ({ href: `#${id}`, text })) }
          : {}),
      }))
      return [path, layout({ title, path, navigation, content: verbatim(content) })]
    }),
  )
}

function readGuide(name: string): Guide {
  const headings: Heading[] = []
  const marked = new Marked({ gfm: true, renderer: createRenderer(headings) })
  const markdown = readFileSync(join(directory, name), 'utf8')
  const content = marked.parse(markdown, { async: false })
  const [title] = headings
  if (title === undefined) throw new Error(`the guide ${name} has no heading`)
  return { path: guidePath(name), title: title.text, markdown, content, headings: headings.slice(1) }
}

const guidePath = (name: string) => (name === 'README.md' ? '/docs' : `/docs/${name.replace(/\.md$/, '')}`)

/** The id of a heading, as GitHub makes it. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/** Collects the headings of the first two levels. */
function createRenderer(headings: Heading[]): RendererObject {
  return {
    heading({ tokens, depth, text }) {
      const id = headingId(text)
      if (depth <= 2) headings.push({ id, text: text.replaceAll('`', '') })
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    /** A link to another guide becomes the path of its page. */
    link({ href, tokens }) {
      const [, name, fragment = ''] = /^([\w-]+\.md)(#.*)?$/.exec(href) ?? []
      const target = name === undefined ? href : guidePath(name) + fragment
      return html`<a href="${target}">`.text + `${this.parser.parseInline(tokens)}</a>`
    },
    /** A diagram is a part of the page, so that it has the colours of the page. */
    image({ href }) {
      if (!/^[\w-]+\.svg$/.test(href)) throw new Error(`${href} is not a diagram beside the guides`)
      return html`<span class="diagram">${verbatim(readFileSync(join(directory, href), 'utf8'))}</span>`.text
    },
    /** After the language, a block may name the file that contains it. */
    code({ text, lang = '' }) {
      const [language = '', label] = lang.split(' ')
      const file = label?.includes('.') === true ? html`<p class="file"><code>${label}</code></p>`.text : ''
      return `${file}<div class="code"><pre tabindex="0"><code>${highlight(text, language).text}</code></pre></div>\n`
    },
    codespan: ({ text }) => codeHtml(text).text,
    /** Scrolls when it is wider than the screen. */
    table(token) {
      return `<div class="table" role="group" aria-label="Table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`
    },
  }
}
