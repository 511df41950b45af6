# SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#
# The kernel's list of vendor prefixes does not know "eth" (ETH Zurich). This
# adds it in its place in the alphabet, whatever the kernel's version has around
# it, which a patch's context cannot:
#
#   cd linux/Documentation/devicetree/bindings
#   grep -q '"^eth,' vendor-prefixes.yaml || sed -i -f vendor-prefixes-eth.sed vendor-prefixes.yaml

/^  "^ettus,\.\*":$/i\
  "^eth,.*":\
    description: ETH Zurich, Swiss Federal Institute of Technology
