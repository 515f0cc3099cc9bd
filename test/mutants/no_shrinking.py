# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: that a test fails is enough, by whatever example."""
from hypothesis import Phase, settings

settings.register_profile("first", phases=[Phase.explicit, Phase.generate],
                          database=None)
settings.load_profile("first")
