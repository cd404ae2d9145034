import { brandProperties } from './brand.ts'

export function buildStyle(primaryColor: string | null): string {
  return `:root{color-scheme:light dark;--ground:#f3f4f6;--ink:#14181f;--quiet:#535c69;--line:#dfe3e8;--good:#12703f;
--info:#eef2fb;--alert:#fdf0ee;--alert-ink:#8f1d12;${brandProperties(primaryColor, 'light')}}
@media (prefers-color-scheme:dark){:root{--ground:#0d1015;--ink:#eef1f5;--quiet:#a9b2bf;--line:#303742;--good:#62d296;
--info:#1e2633;--alert:#3a1d1a;--alert-ink:#ffb9b0;${brandProperties(primaryColor, 'dark')}}}
${layout}`
}

const layout = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--surface);
color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.sheet{width:100%;max-width:30rem;margin:0 auto;padding:1.5rem 1.25rem 2rem;background:var(--surface);flex:1;display:flex;
flex-direction:column}
@media (min-width:36rem){body{background:var(--ground)}
.sheet{flex:none;margin:3.5rem auto;padding:2rem 2.25rem 1.75rem;border:1px solid var(--line);border-radius:1rem;
box-shadow:0 1px 2px #0000000a,0 12px 32px #0000000f}}
header{display:flex;align-items:center;gap:.75rem;margin-bottom:1.75rem}
.logo{display:block;max-width:8rem;max-height:2.75rem;border-radius:.375rem}
.monogram{flex:none;display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:.75rem;font-weight:600;
font-size:1.25rem;background:var(--brand);color:var(--brand-text);border:1px solid var(--brand-edge)}
.merchant{margin:0;font-weight:600;font-size:1.0625rem;line-height:1.3}
h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:650;text-wrap:balance}
h1 .label{display:block;font-size:1rem;font-weight:400;color:var(--quiet)}
.amount{display:block;white-space:nowrap;font-size:clamp(1.25rem,11vw,3.25rem);line-height:1.15;font-weight:700;letter-spacing:-.02em;
font-variant-numeric:tabular-nums}
.long{font-size:clamp(.75rem,6.2vw,1.8rem)}
h2{margin:0 0 .25rem;font-size:1.0625rem}
h3{margin:1rem 0 .5rem;font-size:.875rem;color:var(--quiet);font-weight:600}
p{margin:.5rem 0 0}
.quiet,footer,.items small{color:var(--quiet)}
.quiet{font-size:.9375rem}
.zone{display:inline-block}
section,.items,.facts,.action{margin-top:1.75rem}
.purpose{margin-top:1.25rem}
.purpose:empty{display:none}
.items{list-style:none;padding:0;margin-bottom:0;border-top:1px solid var(--line)}
.items li{display:flex;justify-content:space-between;gap:1rem;padding:.75rem 0;border-bottom:1px solid var(--line)}
.items small{display:block;font-size:.875rem}
.sum{white-space:nowrap;font-variant-numeric:tabular-nums}
.facts{display:grid;grid-template-columns:auto 1fr;gap:.5rem 1.5rem;border-top:1px solid var(--line);
padding-top:1rem;margin-bottom:0}
.facts dt{color:var(--quiet)}
.facts dd{margin:0;text-align:end}
@media (max-width:15rem){.facts{display:block}.items li{flex-wrap:wrap}}
.notice{margin:0 0 1.5rem;padding:.875rem 1rem;border-radius:.75rem;background:var(--info)}
.notice p{margin:0}
.alert{background:var(--alert);color:var(--alert-ink)}
form{margin:0}
button,.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3.25rem;margin-top:1rem;
padding:.75rem clamp(.5rem,5vw,1.25rem);border:1px solid var(--brand-edge);border-radius:.75rem;background:var(--brand);
color:var(--brand-text);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.primary{font-size:clamp(.75rem,6.5vw,1.0625rem)}
.secondary{justify-content:flex-start;min-height:2.75rem;margin-top:.5rem;background:transparent;color:var(--ink);
border-color:var(--line);font-weight:400;font-size:.9375rem;text-align:start;padding:.5rem .875rem}
.action+form .secondary,#again .secondary{justify-content:center}
@media (hover:hover){button:hover,.button:hover{filter:brightness(.94)}.secondary:hover{background:var(--info);filter:none}}
button:active,.button:active{transform:translateY(1px)}
summary{display:flex;align-items:center;min-height:2.75rem;cursor:pointer;color:var(--quiet);font-size:.9375rem}
summary::before{content:"";flex:none;width:.4rem;height:.4rem;margin-inline:.25rem .75rem;border:solid;
border-width:0 2px 2px 0;transform:rotate(-45deg)}
[dir=rtl] summary::before{transform:rotate(135deg)}
summary::-webkit-details-marker{display:none}
[dir] details[open]>summary::before{transform:rotate(45deg)}
details{margin-top:.5rem}
details .items{margin-top:0}
:focus-visible{outline:3px solid var(--ink);outline-offset:3px;border-radius:.375rem}
button:focus-visible,.button:focus-visible{border-radius:.75rem}
iframe{display:block;width:100%;height:26rem;margin-top:.75rem;border:1px solid var(--line);border-radius:.75rem;
background:#fff}
iframe.unloaded{height:0!important;margin:0;border:0}
[hidden]{display:none}
.sign{display:block;width:3rem;height:3rem;margin-bottom:1rem;color:var(--good)}
.spinner{color:var(--quiet);animation:turn 1.2s linear infinite}
.stopped .spinner{animation:none}
.still{color:var(--quiet)}
@keyframes turn{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){.spinner{animation:none}button:active,.button:active{transform:none}}
@media (forced-colors:active){button,.button{border:2px solid}}
footer{margin-top:auto;padding-top:2rem;font-size:.875rem}
footer p{margin:.375rem 0 0}
footer a{color:inherit;display:inline-block;padding:.75rem 0;margin:-.75rem 0}
.trust{display:flex;gap:.5rem;align-items:flex-start}
.trust svg{flex:none;width:1rem;height:1rem;margin-top:.15rem}
.languages details{margin-top:.75rem;border-top:1px solid var(--line);padding-top:.25rem}
.languages summary{gap:.5rem;font-size:.875rem}
.languages summary::before{margin-inline:.25rem}
.globe{flex:none;width:1.125rem;height:1.125rem}
.languages ul{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(7rem,1fr))}
.languages a{display:flex;align-items:center;min-height:2.75rem;margin:0;padding:0 .25rem;text-decoration:none}
.languages a:hover{text-decoration:underline}
.languages [aria-current]{font-weight:600;color:var(--ink)}`
