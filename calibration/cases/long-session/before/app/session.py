def require_session(request):
    if not request.get("session"):
        raise PermissionError("no session")
