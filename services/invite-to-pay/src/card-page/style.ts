import { brandProperties } from '../page/brand.ts'

/** The colors of Stripe's fields in both color schemes, as variables of its Appearance API. */
export const fieldColors = {
  light: colorVariables({
    background: '#ffffff',
    text: '#14181f',
    quiet: '#535c69',
    danger: '#8f1d12',
    primary: '#2f4bd8',
  }),
  dark: colorVariables({
    background: '#171b22',
    text: '#eef1f5',
    quiet: '#a9b2bf',
    danger: '#ffb9b0',
    primary: '#9db0ff',
  }),
} as const

type Colors = Readonly<Record<'background' | 'text' | 'quiet' | 'danger' | 'primary', string>>

function colorVariables({ background, text, quiet, danger, primary }: Colors) {
  return {
    colorBackground: background,
    colorText: text,
    colorTextSecondary: quiet,
    colorTextPlaceholder: quiet,
    colorDanger: danger,
    colorPrimary: primary,
    borderRadius: '8px',
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    fontSizeBase: '16px',
  }
}

/**
 * The button has the colors of the merchant, as on the pay page. The documents of Stripe's frames have the light
 * scheme: in a dark one a browser would paint them on white.
 */
export const buildStyle = (primaryColor: string | null): string =>
  `:root{color-scheme:light dark;--ink:#14181f;--quiet:#535c69;--alert:#8f1d12;${brandProperties(primaryColor, 'light')}}
@media (prefers-color-scheme:dark){:root{--ink:#eef1f5;--quiet:#a9b2bf;--alert:#ffb9b0;${brandProperties(primaryColor, 'dark')}}}
*{box-sizing:border-box}
html{background:var(--surface);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding:1rem;background:var(--surface);color:var(--ink);overflow-wrap:anywhere;
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
h1{margin:0;font-size:1.0625rem;line-height:1.3}
p{margin:.5rem 0 0}
p:empty{display:none}
#loading{margin:0;color:var(--quiet)}
#problem{color:var(--alert)}
form{margin:0}
#fields{color-scheme:light}
button{display:block;width:100%;min-height:3.25rem;margin-top:1rem;border-radius:.75rem;
padding:.75rem clamp(.5rem,5vw,1.25rem);border:1px solid var(--brand-edge);background:var(--brand);
color:var(--brand-text);font:inherit;font-size:clamp(.75rem,6.5vw,1.0625rem);font-weight:600;cursor:pointer}
button:disabled{opacity:.6;cursor:progress}
@media (hover:hover){button:hover:enabled{filter:brightness(.94)}}
:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
@media (forced-colors:active){button{border:2px solid}}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none}`
