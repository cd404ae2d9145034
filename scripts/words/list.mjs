/**
 * Metaphors and vague words, with the words to write instead.
 *
 * `pattern` is matched against words in lower case, separated by one space: identifiers are split at capitals, `_` and
 * `-`, so `carryOut`, `carry_out` and "carry out" are the same. A pattern with `raw: true` is matched against the text
 * itself. `allow`: phrases in which the word is a term of the field. `only`, `except`: paths to which the pattern is
 * limited.
 *
 * @typedef {{ word: string, instead: string, pattern: RegExp, raw?: boolean, allow?: RegExp, only?: RegExp, except?:
 * RegExp }} RejectedWord
 */

const webhooks = /^services\/webhooks\//
const gateway = /^gateway\//
const apiKey = /^services\/api-key\//
const paymentProxy = /^services\/payment-proxy\//
const tests = /^(packages\/testing|test)\/|\/test\//
const audit = /audit|checkpoint|seal/

/** @type {readonly RejectedWord[]} */
export const rejectedWords = [
  // Authorization
  {
    word: 'authority',
    instead: 'Principal, authorization/',
    pattern: /authorit(?:y|ies)/,
    except: /egress|connect-proxy|request-target/,
    allow: /certificate authorit\w+/,
  },
  { word: 'judge', instead: 'resolve, check, evaluate', pattern: /judg\w+/ },
  {
    word: 'power',
    instead: 'authorization, permissions',
    pattern: /powers?/,
    allow: /power (?:of (?:two|ten)|loss|failure)/,
  },
  {
    word: 'owner (of keys, roles)',
    instead: 'authorization source',
    pattern: /(?:key|role|epoch|version)s? owners?|owners? of (?:the )?(?:key|role|epoch|version)s?/,
  },
  { word: 'catch up', instead: 'revalidate', pattern: /(?:catch(?:es|ing)?|caught) up/ },
  { word: 'forget', instead: 'delete, evict, invalidate', pattern: /forg[eo]t\w*/ },
  { word: 'remember', instead: 'cache, store', pattern: /remember\w*/ },
  { word: 'recall', instead: 'get, restore', pattern: /recall\w*/ },
  { word: 'flights', instead: 'single flight', pattern: /flights/, except: /single-flight/, allow: /single flights/ },
  { word: 'as long again', instead: 'pauseForLastDuration', pattern: /as long again/ },
  { word: 'tell', instead: 'report, record, notify', pattern: /tell(?:s|ing)?|told/ },
  // Gateway and audit
  { word: 'hold back', instead: 'response gate', pattern: /(?:hold(?:s|ing)?|held) back/ },
  { word: 'substitute', instead: 'fallback response', pattern: /substitut\w*/ },
  {
    word: 'exchange (gateway)',
    instead: 'RequestContext',
    pattern: /exchanges?/,
    only: gateway,
    allow:
      /(?:token|key|topic|broker|assert|direct|the default|audit|declare|bind|delete|check) exchanges?|exchange: ''|exchanges and queues/,
  },
  { word: 'straggler', instead: 'drainUnreadBody', pattern: /stragglers?/ },
  { word: 'trail', instead: 'audit spool', pattern: /trails?/ },
  { word: 'stretch', instead: 'segment, time bucket', pattern: /stretch\w*/ },
  {
    word: 'place (of a record)',
    instead: 'reservation',
    pattern: /places?/,
    only: /^gateway\/(?:src\/audit|test\/audit)/,
    allow: /in place|takes? place|places? of/,
  },
  // Webhooks
  {
    word: 'line (of deliveries)',
    instead: 'backlog',
    pattern: /lines?|lined/,
    only: webhooks,
    allow:
      /(?:log|one|a|last|first|command|request|status|header|new|text|json|blank|empty|base|out|of|in|on|off) lines?|lines? (?:of (?:log|text|code|json)|break|feed|end|per)s?/,
  },
  { word: 'line up', instead: 'enqueueBacklog', pattern: /lin(?:e|es|ed|ing) up/ },
  { word: 'feeder', instead: 'backlog dispatcher', pattern: /feeders?/ },
  { word: 'lane', instead: 'jitter bucket', pattern: /lanes?/ },
  {
    word: 'place (in a queue)',
    instead: 'permit, capacity',
    pattern: /places?/,
    only: /^services\/webhooks\/(?:src|test)\//,
    allow: /in (?:one )?places?|takes? place/,
  },
  { word: 'room', instead: 'capacity, folder', pattern: /rooms?/ },
  { word: 'slot', instead: 'permit', pattern: /slots?/ },
  { word: 'let in', instead: 'admit', pattern: /lets? in/, allow: /let in flight/ },
  { word: 'traffic', instead: 'destination limits', pattern: /traffic/, only: webhooks },
  { word: 'verdict', instead: 'disposition', pattern: /verdicts?/ },
  { word: 'go on', instead: 'scheduleNext, continue', pattern: /(?:go|goes|going|went) on/ },
  { word: 'own fault', instead: 'local failure', pattern: /own faults?/ },
  { word: 'uncharged', instead: 'not counted as an attempt', pattern: /uncharged/ },
  { word: 'bury', instead: 'publish dead letter', pattern: /bur(?:y|ies|ied|ying|ial)/ },
  { word: 'walk', instead: 'browse, iterate', pattern: /walk(?:s|ed|ing|er)?/ },
  { word: 'send back', instead: 'requeue', pattern: /(?:send|sends|sending|sent) back/ },
  { word: 'give up', instead: 'dead, stop', pattern: /(?:give|gives|given|giving|gave) up/ },
  {
    word: 'turn (of a task)',
    instead: 'batch',
    // The plural is a term: packages/chassis/src/database/turns.ts.
    pattern: /turn/,
    only: webhooks,
    allow: /in turn|turn (?:on|off|into)|(?:loop|current|the same|next) turn/,
  },
  { word: 'begun', instead: 'accepted, started', pattern: /begun/ },
  { word: 'prospect', instead: 'PendingDelivery', pattern: /prospects?/ },
  { word: 'sought', instead: 'MatchQuery, filtered, searched', pattern: /sought/ },
  {
    word: 'waiting_from, waiting_to',
    instead: 'backlog_min_id, backlog_max_id',
    pattern: /waiting_(?:from|to)\b/i,
    raw: true,
  },
  // Messaging
  { word: 'kept', instead: 'retained, stored, reconnecting', pattern: /kept/ },
  { word: 'witness', instead: 'marker queue', pattern: /witness\w*/ },
  { word: 'tend', instead: 'maintain', pattern: /tend(?:s|ed|ing)?/ },
  { word: 'homeless', instead: 'unroutable', pattern: /homeless/ },
  { word: 'spoiled', instead: 'invalid', pattern: /spoil\w*/ },
  { word: 'kick', instead: 'notify, wake', pattern: /kick(?:s|ed|ing)?/ },
  { word: 'meters', instead: 'metrics', pattern: /meter(?:s|ed)?/ },
  { word: 'refer', instead: 'rebind', pattern: /refer(?! to)/, only: /idempotency|payment-proxy/ },
  // Vault and keys
  {
    word: 'seal (of a secret)',
    instead: 'encrypt',
    pattern: /(?:un|re)?seal(?:s|ed|ing)?/,
    except: audit,
    // "Seal" is a term of audit: also in a line that names a file of services/audit.
    allow:
      /(?:audit|chain|record|checkpoint|signed|sealing|new|newest|last|previous|keyed|unkeyed|the|their|a|each|every|of|by|no|its) (?:seals?|sealing keys?|sealer)|audit\.seals|audit unkeyed seals|such seal is accepted|seal unkeyed|seals (?:new records|without a key)|seal chain|unsealed chains?|(?:un)?seal(?:s|ed): [\d_]+|.*services\/audit\/.*/,
  },
  { word: 'rests', instead: 'is stored', pattern: /rests/ },
  { word: 'Reach', instead: 'KeyConstraints', pattern: /\b\w*Reach(?![a-z])\w*/, raw: true, only: /api-key/ },
  { word: 'shut out', instead: 'locksOut', pattern: /shuts? out/ },
  { word: 'monotone', instead: 'no-privilege-escalation rule', pattern: /monotone/ },
  {
    word: 'handle (of a key)',
    instead: 'key hash',
    pattern: /(?:key )?handles?(?: of)?/,
    only: apiKey,
    allow: /(?:it|that|which|server|and|to|error|service|router) handles?/,
  },
  { word: 'look-up', instead: 'index, query', pattern: /\blook-ups?\b/i, raw: true },
  { word: 'lookup (of a key)', instead: 'index', pattern: /look ?ups?/, only: apiKey },
  { word: 'repepper', instead: 'rotate pepper', pattern: /repepper\w*/ },
  // Payments
  { word: 'conclude', instead: 'complete', pattern: /conclud\w+|conclusions?/ },
  { word: 'carry out', instead: 'execute', pattern: /carr(?:y|ies|ied|ying) out/ },
  { word: 'pursue', instead: 'resume', pattern: /pursu\w+/ },
  { word: 'question', instead: 'ProviderRequest', pattern: /questions?/, only: paymentProxy },
  // `asked_at` is a column.
  { word: 'ask', instead: 'request, call, query', pattern: /ask(?:s|ed|ing)?/, allow: /asked at/ },
  {
    word: 'Account (of a transaction)',
    instead: 'TransactionAggregate',
    pattern: /\bAccount\b/,
    raw: true,
    only: /^services\/payment-proxy\/src\/(?:domain|operation|store|verbs)\//,
  },
  { word: 'stand for', instead: 'represent, effectiveOperation', pattern: /(?:stands?|standing|stood) for/ },
  // Tools and tests
  { word: 'household', instead: 'ProcessGroup', pattern: /households?/ },
  { word: 'refusal', instead: 'UserError, rejection', pattern: /refusals?/ },
  { word: 'refuse… (function)', instead: 'reject…, require…', pattern: /\brefuse[A-Z]\w*/, raw: true },
  { word: 'constellation', instead: 'local stack', pattern: /constellations?/ },
  { word: 'broker-way', instead: 'tcp proxy', pattern: /broker ways?/ },
  {
    word: 'near, far',
    instead: 'client side, server side',
    pattern: /near|far/,
    only: tests,
    allow: /(?:so|as|by|too) far|far (?:more|less|from|beyond)|near (?:the|its|an?)/,
  },
  { word: 'mend', instead: 'restore, fix', pattern: /mend(?:s|ed|ing)?/ },
  { word: 'crowd', instead: 'background load', pattern: /crowd\w*/ },
  { word: 'scene', instead: 'scenario', pattern: /scenes?/ },
  { word: 'watched', instead: 'tracked', pattern: /watched/ },
  { word: 'waver', instead: 'flaky', pattern: /waver(?:s|ed|ing)?/ },
  // Prose
  {
    word: 'answer',
    instead: 'response',
    pattern: /answer(?:s|ed|ing)?/,
    allow: /@map\("answered at|received at, answered at/,
  },
  { word: 'door', instead: 'entry point', pattern: /doors?/ },
  { word: 'house', instead: 'layout', pattern: /houses?/ },
  {
    word: 'somebody',
    instead: 'the actor by name',
    pattern: /(?:some|no|any|every)body|whoever/,
    allow: /['"]nobody['"]/,
  },
  { word: 'anew', instead: 'again', pattern: /anew/ },
  { word: 'former', instead: 'previous', pattern: /former/ },
  { word: 'betters', instead: 'a role with more permissions', pattern: /betters/ },
  { word: 'weightier', instead: 'higher priority', pattern: /weightier/ },
  { word: 'of ours', instead: 'our', pattern: /of ours/ },
  {
    word: 'a sentence that starts with who or what',
    instead: 'the noun that acts',
    pattern: /(?:^|[.:;*/|>] |'|`)(?:Who|What|Whatever|Whom)\b(?! it does)(?=[^?\n]*$)/gm,
    raw: true,
  },
]
