# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for idma-sim. Commands, options and presets are read from the
# program itself: nothing of this has to be kept up to date.

_idma_sim_options() {
	"$1" ${2:+"$2"} --help 2>/dev/null | sed -nE 's/^ +(-., )?(--[a-z-]+)(=.*|  .*|)$/\2\3/p' |
		sed -E 's/=.*/=/; s/ .*//'
}

_idma_sim_commands() {
	"$1" --help 2>/dev/null | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'
}

_idma_sim_presets() {
	"$1" sweep --list 2>/dev/null | sed -nE 's/^name=([^ ]+) .*/\1/p'
}

_idma_sim() {
	local prog=$1 cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' i words=''

	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* ]]; then
			command=${COMP_WORDS[i]}
			break
		fi
	done
	# "--timing=c" comes as three words
	if [ "$cur" = = ]; then
		cur=''
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	if [ -z "$command" ]; then
		words=$(_idma_sim_commands "$prog")
		[[ $cur != -* ]] || words='--help --version --json --save= --color='
	else
		case $prev in
		-o|--save|--trace|--csv|--plot|--mix|-m|--dir|-d|--golden|-g)
			compopt -o default 2>/dev/null
			return ;;
		--memory)	words='cuts direct' ;;
		--mode)		words='both staged direct' ;;
		--timing)	words='cycle functional' ;;
		--layout)	words='contig gap reverse stride jump' ;;
		--color)	words='auto always never' ;;
		--only)		words='utilisation pulp-open mempool controlpulp readers hyperlink' ;;
		*)
			if [[ $cur == -* ]]; then
				words=$(_idma_sim_options "$prog" "$command")
			elif [ "$command" = sweep ]; then
				compopt -o default 2>/dev/null
				words=$(_idma_sim_presets "$prog")
			else
				compopt -o default 2>/dev/null
				return
			fi ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	if [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *= ]]; then
		compopt -o nospace 2>/dev/null
	fi
}

complete -F _idma_sim idma-sim
