# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for idma-test. Options are read from its help, names of engines and
# channels from sysfs: nothing of this has to be kept up to date.

_idma_test_options() {
	"$1" ${2:+"$2"} --help 2>/dev/null | sed -nE 's/^ +(-., )?(--[a-z-]+)(=.*|  .*|)$/\2\3/p' |
		sed -E 's/=.*/=/; s/ .*//'
}

_idma_test_commands() {
	"$1" --help 2>/dev/null | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'
}

# What an option can be set to, if its help says so: --wait=sleep|spin|poll
_idma_test_choices() {
	"$1" "$2" --help 2>/dev/null | sed -nE "s/^ +(-., )?$3=([a-z|-]+)( .*|)\$/\\2/p" | tr '|' '\n'
}

_idma_test_channels() {
	local c
	for c in /sys/class/dma/dma*chan*; do
		[ ! -e "$c" ] || echo "${c##*/}"
	done
}

_idma_test_engines() {
	local c
	for c in /sys/class/dma/dma*chan*; do
		[ ! -e "$c" ] || basename "$(readlink -f "$c/device")"
	done | sort -u
}

# The list behind --event in monitor's help
_idma_test_events() {
	"$1" monitor --help 2>/dev/null |
		sed -nE '/--event=/,/^ +-E,/p' | grep -oE '\b(transfer|dev|bench|link|window)-[a-z]+'
}

# Windows that can be used, by their numbers
_idma_test_windows() {
	"$1" window list 2>/dev/null | sed -nE 's/^window=([0-9]+) .*/\1/p'
}

_idma_test_links() {
	"$1" link list 2>/dev/null | sed -nE 's/^link=([^ ]+) .*/\1/p'
}

_idma_test() {
	local prog=$1 cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' i words=''

	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* ]]; then
			command=${COMP_WORDS[i]}
			break
		fi
	done
	# "--wait=s" comes as three words
	if [ "$cur" = = ]; then
		cur=''
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	if [ -z "$command" ]; then
		words=$(_idma_test_commands "$prog")
		[[ $cur != -* ]] || words='--help --version --json --save= --color='
	else
		case $prev in
		-o|--save|-O|--output|--csv)
			compopt -o default 2>/dev/null
			return ;;
		-c|--channel|-B|--baseline)
			words=$(_idma_test_channels)
			[ "$command" != bench ] || words+=$'\ncpu\nnull' ;;
		-l|--link)
			[ "$command" != report ] && words=$(_idma_test_links "$prog") ;;
		-e|--engine|-E)
			words=$(_idma_test_engines)
			[ "$command" != monitor ] || [ "$prev" != -e ] ||
				words=$(_idma_test_events "$prog") ;;
		--event)
			words=$(_idma_test_events "$prog") ;;
		--*)
			words=$(_idma_test_choices "$prog" "$command" "$prev") ;;
		esac
		if [ -z "$words" ]; then
			if [[ $cur == -* ]]; then
				words=$(_idma_test_options "$prog" "$command")
			else
				case $command in
				reset|stats|selftest)	words=$(_idma_test_engines) ;;
				show)			words=$(_idma_test_engines; _idma_test_channels) ;;
				link)			[ "$prev" != link ] || words='list grants grant revoke' ;;
				window)
					case $prev in
					window)			words='list map unmap copy verify' ;;
					unmap|copy|verify)	words=$(_idma_test_windows "$prog") ;;
					esac ;;
				report)			compopt -o default 2>/dev/null
							return ;;
				esac
			fi
		fi
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	if [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *= ]]; then
		compopt -o nospace 2>/dev/null
	fi
}

complete -F _idma_test idma-test
