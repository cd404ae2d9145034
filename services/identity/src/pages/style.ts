import type { Environment } from '@payments/contracts/grammar/key-value'

/** The band of each environment, readable in both color schemes: at least 4.5 between text and ground. */
const bands: Readonly<Record<Environment, { ground: string; ink: string }>> = {
  dev: { ground: '#1d6b3a', ink: '#ffffff' },
  qa: { ground: '#8a4b00', ink: '#ffffff' },
  prod: { ground: '#a3172a', ink: '#ffffff' },
}

export function buildStyle(environment: Environment): string {
  const { ground, ink } = bands[environment]
  return `:root{color-scheme:light dark;--ground:#f3f4f6;--surface:#fff;--ink:#14181f;--quiet:#535c69;--line:#dfe3e8;
--brand:#2f4bd8;--brand-ink:#fff;--info:#eef2fb;--band:${ground};--band-ink:${ink}}
@media (prefers-color-scheme:dark){:root{--ground:#0d1015;--surface:#171b22;--ink:#eef1f5;--quiet:#a9b2bf;--line:#303742;
--brand:#9db0ff;--brand-ink:#0d1330;--info:#1e2633}}
${layout}`
}

const layout = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--surface);
color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.band{margin:0;padding:.5rem 1.25rem;background:var(--band);color:var(--band-ink);font-size:.875rem;font-weight:600;
text-align:center}
main{width:100%;max-width:28rem;margin:0 auto;padding:2rem 1.25rem;background:var(--surface)}
@media (min-width:36rem){body{background:var(--ground)}
main{margin:3.5rem auto;padding:2.25rem;border:1px solid var(--line);border-radius:1rem;
box-shadow:0 1px 2px #0000000a,0 12px 32px #0000000f}}
.product{margin:0 0 1.5rem;color:var(--quiet);font-size:.9375rem;font-weight:600}
h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:650;text-wrap:balance}
h2{margin:2rem 0 0;font-size:1.125rem;line-height:1.25}
p{margin:.75rem 0 0}
ul{list-style:none;margin:1.5rem 0 0;padding:0}
li+li{margin-top:.75rem}
form,.action,p+button{margin-top:1.5rem}
button,.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3.25rem;
padding:.75rem 1.25rem;border:1px solid var(--brand);border-radius:.75rem;background:var(--brand);
color:var(--brand-ink);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
@media (hover:hover){button:hover,.button:hover{filter:brightness(.94)}}
:focus-visible{outline:3px solid var(--ink);outline-offset:3px;border-radius:.75rem}
button small{display:block;font-weight:400}
.quiet{margin-top:.75rem;background:none;color:var(--brand)}
.notice{margin:1.5rem 0 0;padding:.875rem 1rem;border-radius:.75rem;background:var(--info)}
[hidden]{display:none}
@media (forced-colors:active){button,.button,.band{border:2px solid}}`
