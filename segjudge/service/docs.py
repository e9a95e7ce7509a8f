"""What the OpenAPI document says beyond what the code says itself."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from segjudge.service.replies import Wrong
from segjudge.service.schema import EXAMPLE_PREDICTION, EXAMPLE_REFERENCE, RunRequest

_SCHEMA = "#/components/schemas/{model}"
_FILE = {"type": "string", "contentMediaType": "application/octet-stream"}

_FORM: dict[str, Any] = {
    "type": "object",
    "required": ["reference", "prediction"],
    "additionalProperties": False,
    "properties": {
        "reference": {**_FILE, "description": "annotations, in any format that is read, or .gz"},
        "prediction": {**_FILE, "description": "likewise"},
        "judgments": {**_FILE, "description": "recorded judgments, as JSON lines"},
        "options": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "RunOptions, as JSON",
        },
    },
}

#: The body of a run, which is read by hand: a form of files or one JSON document.
RUN_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": _SCHEMA.format(model="RunRequest")}},
            "multipart/form-data": {
                "schema": _FORM,
                "example": {
                    "reference": str(EXAMPLE_REFERENCE).replace("'", '"'),
                    "prediction": str(EXAMPLE_PREDICTION).replace("'", '"'),
                    "options": '{"metrics": ["psj"]}',
                },
            },
        },
    }
}

_ABOUT = {
    400: "it is no request",
    401: "it lacks the token",
    403: "it comes from another site, or is for another host",
    404: "there is no such thing",
    408: "it took too long to arrive",
    409: "not in this state",
    413: "it is too large",
    415: "neither a form nor JSON",
    422: "it isn't what it should be; each fault is named",
    429: "too much is waiting; Retry-After says when to try again",
}

#: The refusals that any route may answer with.
WRONG: dict[int | str, dict[str, Any]] = {
    status: {"model": Wrong, "description": about} for status, about in _ABOUT.items()
}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, with the models that only `RUN_BODY` names."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        own = RunRequest.model_json_schema(ref_template=_SCHEMA)
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        schemas.update({**own.pop("$defs", {}), "RunRequest": own})
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{}, {"token": []}]
        app.openapi_schema = made
    return app.openapi_schema
