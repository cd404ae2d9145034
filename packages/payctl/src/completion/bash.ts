import type { CommandNode } from '../command-tree.ts'
import { alternatives, collectBranches, quote } from './branches.ts'

/** readline splits `--option=value` at the equals sign. For bash 3.2 and later: macOS has no newer one. */
export function bashCompletion(tree: CommandNode): string {
  const { steps, nodes, values } = collectBranches(tree)
  const chosen = values.chosen.map(({ at, option }) => `    ${quote(at)}) words=${quote(option.choices.join(' '))} ;;`)
  const words = nodes.map(({ path, node }) => `        ${quote(path)}) words=${quote(listWords(node).join(' '))} ;;`)
  return `# bash completion of payctl, written by: payctl completion bash
_payctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command_path='' words='' index
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$command_path \${COMP_WORDS[index]}" in
      ${alternatives(steps)})
        command_path="\${command_path:+$command_path }\${COMP_WORDS[index]}" ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  case "$command_path $previous" in
${chosen.join('\n')}
    ${alternatives(values.files)})
      local IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$current"))
      return ;;
    ${alternatives(values.free)}) return ;;
    *)
      case "$command_path" in
${words.join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _payctl payctl
`
}

function listWords({ commands, arguments: parameters, options }: CommandNode): string[] {
  return [
    ...commands.flatMap(({ path }) => path.slice(-1)),
    ...parameters.flatMap(({ choices }) => choices),
    ...options.map(({ long }) => long),
  ]
}
