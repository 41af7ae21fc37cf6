from app.session import require_session


def handle(request):
    require_session(request)
    print("search", request["id"])
    return {"id": request["id"], "hits": []}
