"""The providers of the built-in catalogue: where they are reached, how to speak to them, who tells of them.

`models_dev` and `litellm` are the provider's names in the two sources; a provider with neither is reached by
model ids that people give. Ids and variables are Pi's, so that its settings and keys work here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

COMPLETIONS, RESPONSES = "openai-completions", "openai-responses"
MESSAGES, GOOGLE = "anthropic-messages", "google-generative-ai"

# Servers that know the older name of the limit and refuse what they do not know.
PLAIN: dict[str, Any] = {"supportsStore": False, "maxTokensField": "max_tokens"}
# The same, for servers of many models, most of which do not take an effort.
NO_EFFORT: dict[str, Any] = {**PLAIN, "supportsReasoningEffort": False}
QWEN: dict[str, Any] = {**NO_EFFORT, "thinkingFormat": "qwen"}
# Speaks Anthropic's API but not its newest extensions.
NO_EAGER: dict[str, Any] = {"supportsEagerToolInputStreaming": False}


@dataclass(frozen=True, slots=True)
class Source:
    """One provider. `default` is the model to begin with, `compat` holds for all its models.

    `env` names the variable with a key, `bearer` one with a token that is sent as it is. Ids of models begin
    with the pattern `only`.
    """

    id: str
    name: str
    api: str
    base_url: str
    env: str
    models_dev: str = ""
    litellm: str = ""
    default: str = ""
    compat: dict[str, Any] = field(default_factory=dict)
    bearer: str = ""
    only: str = ""


_QWEN_INTL = "https://token-plan.maas.qwencloudapi.com/compatible-mode/v1"
_QWEN_CN = "https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1"
# What the plan for one person has of the team's models.
_INDIVIDUAL = r"deepseek-v4|glm-5\.[2-9]|qwen3\.6-flash|qwen3\.[78]|qwen4"
_ANT_LING: dict[str, Any] = {**NO_EFFORT, "thinkingFormat": "ant-ling"}

PROVIDERS: tuple[Source, ...] = (
    Source(
        "anthropic",
        "Anthropic",
        MESSAGES,
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "anthropic",
        "anthropic",
        "claude-sonnet-5-5",
        bearer="ANTHROPIC_AUTH_TOKEN",
    ),
    Source(
        "openai",
        "OpenAI",
        RESPONSES,
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "openai",
        "openai",
        "gpt-6.1-sol",
    ),
    Source(
        "google",
        "Google Gemini",
        GOOGLE,
        "https://generativelanguage.googleapis.com/v1beta",
        "GEMINI_API_KEY",
        "google",
        "gemini",
        "gemini-3.8-flash",
    ),
    Source(
        "deepseek",
        "DeepSeek",
        COMPLETIONS,
        "https://api.deepseek.com",
        "DEEPSEEK_API_KEY",
        "deepseek",
        "deepseek",
        "deepseek-v4-pro",
    ),
    Source("xai", "xAI", COMPLETIONS, "https://api.x.ai/v1", "XAI_API_KEY", "xai", "xai", "grok-4.7"),
    Source(
        "mistral",
        "Mistral",
        COMPLETIONS,
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        "mistral",
        "mistral",
        "mistral-large-4",
    ),
    Source(
        "openrouter",
        "OpenRouter",
        COMPLETIONS,
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        "openrouter",
        default="anthropic/claude-sonnet-5",
    ),
    Source(
        "groq",
        "Groq",
        COMPLETIONS,
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        "groq",
        "groq",
        "openai/gpt-oss-120b",
    ),
    Source(
        "cerebras",
        "Cerebras",
        COMPLETIONS,
        "https://api.cerebras.ai/v1",
        "CEREBRAS_API_KEY",
        "cerebras",
        "cerebras",
        "gpt-oss-120b",
    ),
    Source(
        "together",
        "Together AI",
        COMPLETIONS,
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
        "togetherai",
        "together_ai",
        "zai-org/GLM-5.3",
        NO_EFFORT,
    ),
    Source(
        "fireworks",
        "Fireworks",
        COMPLETIONS,
        "https://api.fireworks.ai/inference/v1",
        "FIREWORKS_API_KEY",
        "fireworks-ai",
        "fireworks_ai",
        "accounts/fireworks/models/glm-5p3",
        PLAIN,
    ),
    Source(
        "baseten",
        "Baseten",
        COMPLETIONS,
        "https://inference.baseten.co/v1",
        "BASETEN_API_KEY",
        "baseten",
        "baseten",
        "zai-org/GLM-5.3",
        NO_EFFORT,
    ),
    Source(
        "huggingface",
        "Hugging Face",
        COMPLETIONS,
        "https://router.huggingface.co/v1",
        "HF_TOKEN",
        "huggingface",
        default="zai-org/GLM-5.2",
        compat=NO_EFFORT,
    ),
    Source(
        "nvidia",
        "NVIDIA NIM",
        COMPLETIONS,
        "https://integrate.api.nvidia.com/v1",
        "NVIDIA_API_KEY",
        "nvidia",
        compat=NO_EFFORT,
    ),
    Source(
        "vercel-ai-gateway",
        "Vercel AI Gateway",
        COMPLETIONS,
        "https://ai-gateway.vercel.sh/v1",
        "AI_GATEWAY_API_KEY",
        "vercel",
        default="anthropic/claude-sonnet-5",
        compat=PLAIN,
    ),
    Source(
        "opencode",
        "OpenCode Zen",
        COMPLETIONS,
        "https://opencode.ai/zen/v1",
        "OPENCODE_API_KEY",
        "opencode",
        default="claude-sonnet-5",
        compat=PLAIN,
    ),
    Source(
        "opencode-go",
        "OpenCode Go",
        COMPLETIONS,
        "https://opencode.ai/zen/go/v1",
        "OPENCODE_API_KEY",
        "opencode-go",
        compat=PLAIN,
    ),
    Source(
        "moonshotai",
        "Moonshot AI",
        COMPLETIONS,
        "https://api.moonshot.ai/v1",
        "MOONSHOT_API_KEY",
        "moonshotai",
        "moonshot",
        "kimi-k3.1-pro",
    ),
    Source(
        "moonshotai-cn",
        "Moonshot AI (China)",
        COMPLETIONS,
        "https://api.moonshot.cn/v1",
        "MOONSHOT_API_KEY",
        "moonshotai-cn",
        "moonshot",
        "kimi-k3.1-pro",
    ),
    Source(
        "kimi-coding",
        "Kimi For Coding",
        MESSAGES,
        "https://api.kimi.com/coding",
        "KIMI_API_KEY",
        "kimi-for-coding",
        compat=NO_EAGER,
    ),
    Source(
        "minimax",
        "MiniMax",
        MESSAGES,
        "https://api.minimax.io/anthropic",
        "MINIMAX_API_KEY",
        "minimax",
        default="MiniMax-M3",
        compat=NO_EAGER,
    ),
    Source(
        "minimax-cn",
        "MiniMax (China)",
        MESSAGES,
        "https://api.minimaxi.com/anthropic",
        "MINIMAX_CN_API_KEY",
        "minimax-cn",
        default="MiniMax-M3",
        compat=NO_EAGER,
    ),
    Source(
        "zai",
        "ZAI Coding Plan (Global)",
        COMPLETIONS,
        "https://api.z.ai/api/coding/paas/v4",
        "ZAI_API_KEY",
        "zai-coding-plan",
        default="glm-5.3",
    ),
    Source(
        "zai-coding-cn",
        "ZAI Coding Plan (China)",
        COMPLETIONS,
        "https://open.bigmodel.cn/api/coding/paas/v4",
        "ZAI_CODING_CN_API_KEY",
        "zhipuai-coding-plan",
        default="glm-5.3",
    ),
    Source(
        "meta",
        "Meta",
        RESPONSES,
        "https://api.meta.ai/v1",
        "META_API_KEY",
        "meta",
        "meta",
        "muse-spark-1.3",
    ),
    Source(
        "qwen-token-plan",
        "Qwen Token Plan Team",
        COMPLETIONS,
        _QWEN_INTL,
        "QWEN_TOKEN_PLAN_TEAM_API_KEY",
        "alibaba-token-plan",
        default="qwen3.8-max",
        compat=QWEN,
    ),
    Source(
        "qwen-token-plan-cn",
        "Qwen Token Plan Team (China)",
        COMPLETIONS,
        _QWEN_CN,
        "QWEN_TOKEN_PLAN_TEAM_CN_API_KEY",
        "alibaba-token-plan-cn",
        default="qwen3.8-max",
        compat=QWEN,
    ),
    Source(
        "qwen-token-plan-individual",
        "Qwen Token Plan Individual",
        COMPLETIONS,
        _QWEN_INTL,
        "QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY",
        "alibaba-token-plan",
        default="qwen3.8-max",
        compat=QWEN,
        only=_INDIVIDUAL,
    ),
    Source(
        "qwen-token-plan-individual-cn",
        "Qwen Token Plan Individual (China)",
        COMPLETIONS,
        _QWEN_CN,
        "QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY",
        "alibaba-token-plan-cn",
        default="qwen3.8-max",
        compat=QWEN,
        only=_INDIVIDUAL,
    ),
    Source(
        "xiaomi",
        "Xiaomi MiMo",
        COMPLETIONS,
        "https://api.xiaomimimo.com/v1",
        "XIAOMI_API_KEY",
        "xiaomi",
        "xiaomi_mimo",
        "mimo-v2.6-pro",
        NO_EFFORT,
    ),
    Source(
        "xiaomi-token-plan-cn",
        "Xiaomi MiMo Token Plan (China)",
        COMPLETIONS,
        "https://token-plan-cn.xiaomimimo.com/v1",
        "XIAOMI_TOKEN_PLAN_CN_API_KEY",
        "xiaomi-token-plan-cn",
        compat=NO_EFFORT,
    ),
    Source(
        "xiaomi-token-plan-ams",
        "Xiaomi MiMo Token Plan (Amsterdam)",
        COMPLETIONS,
        "https://token-plan-ams.xiaomimimo.com/v1",
        "XIAOMI_TOKEN_PLAN_AMS_API_KEY",
        "xiaomi-token-plan-ams",
        compat=NO_EFFORT,
    ),
    Source(
        "xiaomi-token-plan-sgp",
        "Xiaomi MiMo Token Plan (Singapore)",
        COMPLETIONS,
        "https://token-plan-sgp.xiaomimimo.com/v1",
        "XIAOMI_TOKEN_PLAN_SGP_API_KEY",
        "xiaomi-token-plan-sgp",
        compat=NO_EFFORT,
    ),
    Source(
        "ant-ling",
        "Ant Ling",
        COMPLETIONS,
        "https://api.ant-ling.com/v1",
        "ANT_LING_API_KEY",
        compat=_ANT_LING,
    ),
)
